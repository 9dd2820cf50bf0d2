#!/usr/bin/env python3
"""Check that `run --format html` writes the page that `report` writes of the run's folder.

    check_run_page.py SHAPEWISE CORPORA
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

CALLS = """\
{"schema":"shapewise.calls/1"}
{"function":"step","file":"train.py","line":2,"inputs":{"x":{"size":[16,32],"dtype":"float32"}}}
{"function":"step","file":"train.py","line":2,"inputs":{"x":{"size":[33,32],"dtype":"float32"}}}
{"function":"step","file":"train.py","line":2,"inputs":{"x":{"size":[48,32],"dtype":"float32"}}}
{"function":"step","file":"train.py","line":2,"inputs":{"x":{"size":[70,32],"dtype":"float32"}}}
"""


def find_log(corpora: Path) -> Path:
    """Return a captured log that prints guards."""
    for path in sorted((corpora / "captured").rglob("*")):
        if path.is_file() and b"TREE_GUARD_MANAGER" in path.read_bytes():
            return path
    raise SystemExit("no captured log prints guards")


def main() -> int:
    """Write both pages and compare them."""
    tool = Path(sys.argv[1]).resolve()
    log = find_log(Path(sys.argv[2]))
    script = 'cp log.txt "$SHAPEWISE_RUN_FOLDER/logs/"; cp calls.jsonl "$SHAPEWISE_RUN_FOLDER/calls/"'
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        shutil.copy(log, here / "log.txt")
        (here / "calls.jsonl").write_text(CALLS)

        def run(*arguments: str) -> None:
            done = subprocess.run([tool, *arguments], cwd=here, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit(f"{arguments}: exit status {done.returncode}: {done.stderr}")

        for number, options in enumerate(([], ["--redact"], ["--live"])):
            page = f"run-{number}.html"
            name = f"folder-{number}"
            program = ["--", "sh", "-c", script]
            run("run", *options, "--format", "html", "--output", page, "--folder", name, *program)
            redact = [option for option in options if option == "--redact"]
            run("report", *redact, "--exit-zero", name, "--output", f"report-{number}.html")
            of_run = (here / page).read_text()
            of_report = (here / f"report-{number}.html").read_text()
            if of_run != of_report:
                first = next(
                    (pair for pair in zip(of_run.splitlines(), of_report.splitlines()) if pair[0] != pair[1]), None
                )
                print(f"run {options}: the pages of run and report differ: {first}")
                return 1
    print(f"the pages of run and report are the same: {log.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
