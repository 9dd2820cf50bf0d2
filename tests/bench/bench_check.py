#!/usr/bin/env python3
"""Speed and memory of `shapewise check` on a folder of Python, beside `ruff check` in the same run.

    tests/bench/bench_check.py PROGRAM [--folder FOLDER] [--runs 3] [--output figures.json]

FOLDER is by default the transformers package of the environment in build/torch. Both run on one core, without
a cache, and give no exit status; ruff with the rules it has by default, which know nothing of torch, so its
time tells what a fast tool needs to read and parse the files. The figures are files for each second of CPU,
user and system; the last row is shapewise on all cores, by the wall clock.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from pathlib import Path

from measured_run import Run, median_of

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = "shapewise.check_speed/1"


def transformers() -> Path | None:
    """The package in the environment that tests make."""
    found = sorted((ROOT / "build" / "torch").glob("lib/python3*/site-packages/transformers"))
    return found[0] if found else None


def ruff_command() -> list[str] | None:
    """ruff, as found on the path."""
    path = shutil.which("ruff")
    if path is None:
        return None
    return [path, "check", "--no-cache", "--exit-zero", "--isolated", "--quiet"]


def version_of(command: str) -> str:
    return subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.strip()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--folder", type=Path, default=transformers())
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--output", type=Path, help="where the figures are put as JSON")
    args = parser.parse_args()
    if args.folder is None or not args.folder.is_dir():
        print("no folder to check: give one with --folder", file=sys.stderr)
        return 2
    folder = str(args.folder)
    num_files = sum(1 for _ in args.folder.rglob("*.py"))
    num_bytes = sum(path.stat().st_size for path in args.folder.rglob("*.py"))
    program = str(args.program.resolve())
    check = [program, "check", "--no-cache", "--exit-zero", "--format", "json", folder]

    rows: list[tuple[str, Run]] = []
    one = median_of(["taskset", "-c", "0", *check[:2], "-j1", *check[2:]], args.runs, lambda run: run.cpu)
    rows.append(("shapewise check, one core", one))
    ruff = ruff_command()
    if ruff is not None:
        rows.append(("ruff check, one core", median_of(["taskset", "-c", "0", *ruff, folder], args.runs, lambda r: r.cpu)))
    whole = median_of(check, args.runs, lambda run: run.seconds)
    rows.append(("shapewise check, all cores", whole))
    if json.loads(one.output)["findings"] != json.loads(whole.output)["findings"]:
        print("one thread and several give different findings", file=sys.stderr)
        return 1

    print(f"{folder}: {num_files} files, {num_bytes / 1e6:.1f} MB")
    print(f"{'command':28} {'CPU s':>7} {'wall s':>7} {'files/CPU s':>12} {'MiB':>7}")
    for name, run in rows:
        print(f"{name:28} {run.cpu:7.2f} {run.seconds:7.2f} {num_files / run.cpu:12.0f} {run.anon_mib:7.0f}")
    if args.output is not None:
        figures = {
            "schema": SCHEMA,
            "package": args.folder.name,
            "files": num_files,
            "bytes": num_bytes,
            "tool": version_of(program),
            "ruff": version_of(ruff[0]) if ruff is not None else None,
            "runs": [
                {
                    "command": name,
                    "cpu_s": round(run.cpu, 3),
                    "wall_s": round(run.seconds, 3),
                    "files_per_cpu_s": round(num_files / run.cpu),
                    "anonymous_mib": round(run.anon_mib),
                }
                for name, run in rows
            ],
        }
        args.output.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
