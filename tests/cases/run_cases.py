#!/usr/bin/env python3
"""Run the literate cases: Markdown files that hold a command, its inputs and what it must print.

    run_cases.py --tool PATH [--only TEXT] FOLDER

A case is a file <subcommand>/<what it shows>.md with a title, prose, and fences:

    cmd              one command line that starts with `shapewise`; exactly one fence a case. Where a result is another
                     command's input it holds several lines, run in order up to the first that fails
    log [NAME]       a file beside which the command runs; `input.log` without a name
    corpus NAME      a path below corpora/, a file or a folder: its copy beside which the command runs
    stdin            what the command reads from standard input
    expect           what it must print, exactly
    expect-contains  lines that must each occur in what it prints
    expect-error     lines that must each occur on stderr, which is empty otherwise
    exit             the exit status; 0 without this fence

Every command runs twice and must print the same bytes. What it prints as JSON, or leaves in a JSON file, is
validated against the schema that `shapewise schema` prints, where the Python package jsonschema is installed. With SHAPEWISE_ACCEPT=1 the `expect` fences
are rewritten with what was printed; the change is then reviewed like code.
Exit status: 0 all cases hold, 1 some do not, 2 there are none, or one cannot be read.
"""

import argparse
import difflib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

TIMEOUT_SECONDS = 60
KINDS = ("cmd", "log", "corpus", "stdin", "expect", "expect-contains", "expect-error", "exit")
CORPORA = Path(__file__).resolve().parents[2] / "corpora"

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import json_schemas  # noqa: E402 - in the folder of tests/support
DROPPED_VARIABLES = ("NO_COLOR", "CLICOLOR_FORCE", "COLUMNS")


@dataclass
class Fence:
    """One fence: its kind and name, its text, and the lines [begin, end) that the text fills."""

    kind: str
    name: str
    text: str
    begin: int
    end: int


@dataclass
class Case:
    """One file of the folder, taken apart."""

    path: Path
    lines: list[str]
    fences: list[Fence] = field(default_factory=list)

    def all(self, kind: str) -> list[Fence]:
        return [fence for fence in self.fences if fence.kind == kind]

    def text(self, kind: str, default: str = "") -> str:
        found = self.all(kind)
        return found[0].text if found else default


def read_case(path: Path) -> Case:
    """The case in `path`; ValueError says what is wrong with it."""
    # Not splitlines(): a log may hold form feeds and other characters that it takes for line ends.
    lines = re.findall(r"[^\n]*\n|[^\n]+", path.read_bytes().decode("utf-8"))
    case = Case(path, lines)
    if not lines or not lines[0].startswith("# "):
        raise ValueError("line 1: expected a title")
    at = 0
    while at < len(lines):
        opening = re.match(r"(`{3,})\s*(\S*) *(.*?)\s*$", lines[at])
        at += 1
        if not opening:
            continue
        ticks, kind, name = opening.groups()
        begin = at
        while at < len(lines) and lines[at].rstrip() != ticks:
            at += 1
        if at == len(lines):
            raise ValueError(f"line {begin}: this fence is not closed")
        if kind not in KINDS:
            raise ValueError(f"line {begin}: no fence is called '{kind}'; there are {', '.join(KINDS)}")
        case.fences.append(Fence(kind, name, "".join(lines[begin:at]), begin, at))
        at += 1
    if len(case.all("cmd")) != 1:
        raise ValueError("expected exactly one cmd fence")
    if not all(line.startswith("shapewise") for line in case.text("cmd").splitlines()):
        raise ValueError("a command has to start with 'shapewise'")
    return case


@dataclass
class Run:
    """What a command printed, and what is wrong with the JSON in that."""

    stdout: str
    stderr: str
    status: int
    problems: list[str] = field(default_factory=list)


def run_twice(tool: Path, case: Case, schemas: json_schemas.Schemas | None) -> tuple[Run, Run]:
    """Runs the command of `case`, and once more, in a folder of its own that holds its logs."""
    with tempfile.TemporaryDirectory() as folder:
        for log in case.all("log"):
            target = Path(folder, log.name or "input.log")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(log.text.encode())
        for copy in case.all("corpus"):
            source, target = CORPORA / copy.text.strip(), Path(folder, copy.name)
            if source.is_dir():
                shutil.copytree(source, target)
            else:
                shutil.copyfile(source, target)
        return run_command(tool, case, folder, schemas), run_command(tool, case, folder, schemas)


def run_command(tool: Path, case: Case, folder: str, schemas: json_schemas.Schemas | None) -> Run:
    """What the commands of `case` print together; the status is that of the last one."""
    stdout, stderr, status, problems = "", "", 0, []
    for line in case.text("cmd").splitlines():
        run = run_line(tool, line, case, folder)
        stdout, stderr, status = stdout + run.stdout, stderr + run.stderr, run.status
        if schemas is not None:
            problems += schemas.problems_of_output(shlex.split(line)[1:], run.stdout)
        if status != 0:
            break
    if schemas is not None:
        problems += problems_of_files(case, folder, schemas)
    return Run(stdout, stderr, status, problems)


def problems_of_files(case: Case, folder: str, schemas: json_schemas.Schemas) -> list[str]:
    """What is wrong with the JSON files that the commands of `case` left."""
    given = {fence.name for kind in ("log", "corpus") for fence in case.all(kind)}
    problems = []
    for path in sorted(Path(folder).glob("*.json")):
        if path.name in given:
            continue
        try:
            value = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            problems.append(f"{path.name}: {error}")
            continue
        problems += [f"{path.name}: {problem}" for problem in schemas.problems_of_result(value)]
    return problems


def run_line(tool: Path, line: str, case: Case, folder: str) -> Run:
    environment = {k: v for k, v in os.environ.items() if k not in DROPPED_VARIABLES}
    done = subprocess.run(
        [str(tool), *shlex.split(line)[1:]],
        cwd=folder,
        env=environment,
        input=case.text("stdin").encode(),
        capture_output=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return Run(done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"), done.returncode)


def missing_lines(wanted: str, printed: str) -> list[str]:
    return [line for line in wanted.splitlines() if line and line not in printed]


def differences(case: Case, run: Run) -> list[str]:
    """How `run` differs from what `case` says, as lines to print."""
    found: list[str] = []
    if case.all("expect") and run.stdout != case.text("expect"):
        expected, printed = (text.splitlines() for text in (case.text("expect"), run.stdout))
        found += difflib.unified_diff(expected, printed, "expected", "printed", lineterm="")
    for fence in case.all("expect-contains"):
        found += [f"not printed: {line}" for line in missing_lines(fence.text, run.stdout)]
    for fence in case.all("expect-error"):
        found += [f"not on stderr: {line}" for line in missing_lines(fence.text, run.stderr)]
    if run.stderr and not case.all("expect-error"):
        found.append(f"on stderr: {run.stderr}")
    status = int(case.text("exit", "0"))
    if run.status != status:
        found.append(f"exit status {run.status}, expected {status}")
    return found + run.problems


def accept(case: Case, run: Run) -> None:
    """Writes what was printed into the `expect` fence of `case`."""
    for fence in case.all("expect"):
        if fence.text != run.stdout:
            lines = [*case.lines[: fence.begin], run.stdout, *case.lines[fence.end :]]
            case.path.write_bytes("".join(lines).encode())
            print(f"accepted {case.path}")
            fence.text = run.stdout


def check(tool: Path, path: Path, schemas: json_schemas.Schemas | None) -> list[str]:
    """What does not hold in the case `path`."""
    case = read_case(path)
    run, again = run_twice(tool, case, schemas)
    if os.environ.get("SHAPEWISE_ACCEPT") == "1":
        accept(case, run)
    found = differences(case, run)
    if again != run:
        found.append("a second run printed something else")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tool", type=Path, required=True, help="the program")
    parser.add_argument("--only", default="", help="run only cases whose path holds this text")
    arguments = parser.parse_args()

    paths = [path for path in sorted(arguments.folder.glob("*/*.md")) if arguments.only in str(path)]
    if not paths:
        print(f"run_cases: no cases in {arguments.folder}", file=sys.stderr)
        return 2
    tool = arguments.tool.resolve()
    schemas = json_schemas.load(tool)
    if schemas is None:
        print("JSON is not validated: no Python package jsonschema")
    num_failed = 0
    for path in paths:
        try:
            found = check(tool, path, schemas)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            print(f"run_cases: {path}: {error}", file=sys.stderr)
            return 2
        if found:
            num_failed += 1
            print(f"FAILED {path}", *(f"  {line}" for line in found), sep="\n")
    print(f"{len(paths) - num_failed} of {len(paths)} cases hold")
    return 1 if num_failed else 0


if __name__ == "__main__":
    sys.exit(main())
