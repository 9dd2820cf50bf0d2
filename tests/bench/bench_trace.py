#!/usr/bin/env python3
"""Speed and memory of `shapewise lint` on a large structured trace, beside tlparse and Python in the same run.

    tests/bench/bench_trace.py PROGRAM [--megabytes 210] [--runs 3] [--folder corpora/generated] [--tools build/tlparse]

The trace is a captured one of Inductor over and over again, its frame ids shifted by 1000 each time; it is not
stored. References: tlparse with its HTML report, tlparse --plain-text, Python's json over the envelopes alone,
and wc. tlparse is installed into a virtual environment; where that cannot be, its rows are left out and it is
said so. The table gives the median of user and system seconds, and how many times ours the others take; no
figure is tested, because machines differ.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measured_run import Run, median_of

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "corpora" / "captured" / "2.13.0" / "232-trace-small" / "trace"
TLPARSE = "tlparse==0.4.3"

# What is left for a reader that does nothing but parse each envelope.
ENVELOPES = """
import json, sys
count = 0
with open(sys.argv[1], "rb") as trace:
    for line in trace:
        if line[:1] != b"\\t":
            json.loads(line[line.index(b"] {") + 2:])
            count += 1
print(count)
"""


def by_cpu(command: list[str], runs: int) -> Run:
    """The run with the median of CPU seconds."""
    return median_of(command, runs, lambda run: run.cpu)


def make_trace(path: Path, megabytes: int) -> None:
    """Writes about `megabytes` MB of trace to `path`."""
    (captured,) = CAPTURED.glob("*.gz")
    text = gzip.decompress(captured.read_bytes()).decode("utf-8")
    frame_id = re.compile(r'"frame_id": (\d+)')
    written = 0
    copy = 0
    with path.open("w", encoding="utf-8") as out:
        while written < megabytes * 1_000_000:
            shift = 1000 * copy
            written += out.write(frame_id.sub(lambda id: f'"frame_id": {int(id[1]) + shift}', text))
            copy += 1


def tlparse_in(folder: Path) -> Path | None:
    """The program tlparse, installed into `folder` unless it is there."""
    program = folder / "bin" / "tlparse"
    if program.is_file():
        return program
    try:
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True, capture_output=True)
        pip = [str(folder / "bin" / "pip"), "install", "--quiet", TLPARSE]
        subprocess.run(pip, check=True, capture_output=True, timeout=300)
    except (subprocess.SubprocessError, OSError) as error:
        print(f"{TLPARSE} cannot be installed, its rows are left out: {error}", file=sys.stderr)
        return None
    return program


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--megabytes", type=int, default=210)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=ROOT / "corpora" / "generated")
    parser.add_argument("--tools", type=Path, default=ROOT / "build" / "tlparse")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    path = args.folder / f"trace-{args.megabytes}.log"
    if not path.is_file() or path.stat().st_size < args.megabytes * 1_000_000:
        make_trace(path, args.megabytes)
    size = path.stat().st_size

    lint = [str(args.program.resolve()), "lint", "--exit-zero", "--format", "json", str(path)]
    ours = by_cpu(lint, args.runs)
    summary = json.loads(ours.output)["summary"]
    count = by_cpu(["wc", "-l", str(path)], args.runs)
    if summary["lines"] != int(count.output.split()[0]):
        print(f"{summary['lines']} lines were read of {count.output.split()[0]}", file=sys.stderr)
        return 1

    rows = [("shapewise lint", ours)]
    tlparse = tlparse_in(args.tools)
    if tlparse is not None:
        scratch = tempfile.mkdtemp(dir=args.folder)
        report = [str(tlparse), str(path), "-o", os.path.join(scratch, "out"), "--overwrite", "--no-browser"]
        rows.append(("tlparse (HTML)", by_cpu(report, 1)))
        rows.append(("tlparse --plain-text", by_cpu([*report, "--plain-text"], args.runs)))
        shutil.rmtree(scratch, ignore_errors=True)
    rows.append(("python: json of envelopes", by_cpu([sys.executable, "-c", ENVELOPES, str(path)], args.runs)))
    rows.append(("wc -l", count))

    print(f"trace of {size / 1e6:.0f} MB, {summary['lines']} lines, {summary['compiles']} compiles\n")
    print(f"{'command':28} {'user s':>8} {'cpu s':>8} {'GB/cpu s':>9} {'MiB':>7}  times ours: user, cpu")
    for name, run in rows:
        print(
            f"{name:28} {run.user:8.2f} {run.cpu:8.2f} {size / max(run.cpu, 1e-3) / 1e9:9.2f} {run.anon_mib:7.1f}"
            f"  {run.user / max(ours.user, 1e-3):.1f}, {run.cpu / max(ours.cpu, 1e-3):.1f}"
        )
    print("\nMiB: peak of resident memory beyond mapped files, sampled every 5 ms; tlparse with HTML runs once")
    return 0


if __name__ == "__main__":
    sys.exit(main())
