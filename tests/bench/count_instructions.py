#!/usr/bin/env python3
"""How many instructions the program takes on inputs of corpora/, beside what it took when that was last recorded.

    tests/bench/count_instructions.py PROGRAM FIGURES [--compiler NAME] [--record]

Counted by callgrind, so it is the same whatever else the machine does. More than TOLERANCE above the recorded figure
fails; less is told, for it to be recorded (--record, with a reason in the commit). Figures hold for one compiler and
one kind of build; with another the test is skipped. Exit status: 0 held, 1 did not, 77 there is nothing to compare.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import bench_lint

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = "corpora/captured/2.13.0"
SCHEMA = "shapewise.instructions/1"
SKIPPED = 77
TOLERANCE = 0.10

COMMANDS = {
    "start-up": ["--version"],
    "lint, text": ["lint", "--exit-zero", "--format", "json", f"{CAPTURED}/212-full-debug/log.txt"],
    "lint, records": ["lint", "--exit-zero", f"{CAPTURED}/220-kv-cat-list/log.txt"],
    "lint, training": ["lint", "--exit-zero", "TRAINING"],
    "lint, trace": ["lint", "--exit-zero", "--format", "json", f"{CAPTURED}/251-ranks-lengths/trace"],
    "guards": ["guards", f"{CAPTURED}/261-guards-trace/trace"],
    "graph": ["graph", "corpora/dumps/exported_program.txt", "corpora/dumps/tiny.pt2"],
    "advise": ["advise", "--exit-zero", f"{CAPTURED}/222-limit-cache/log.txt"],
    "predict": ["predict", "--log", f"{CAPTURED}/222-limit-cache/log.txt", "--assume-no-questions", "--policy", "limit 64"],
    "check": ["check", "--exit-zero", "--no-cache", "-j1", "tests/torch/check_suite"],
    "buckets": ["buckets", "LENGTHS", "--buckets", "16"],
}


COUNTERS = {
    "perf": (["perf", "stat", "-x,", "-e", "instructions:u"], r"^(\d+),[^,]*,instructions"),
    "callgrind": (["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"], r"Collected : (\d+)"),
}


def find_counter() -> str | None:
    """What counts instructions on this machine; perf is there but counts nothing on many virtual ones."""
    for name, (command, pattern) in COUNTERS.items():
        if shutil.which(command[0]) is not None:
            done = subprocess.run([*command, "true"], capture_output=True, text=True)
            if re.search(pattern, done.stderr, re.MULTILINE):
                return name
    return None


def count(program: str, arguments: list[str], counter: str = "callgrind", stdin: Path | None = None, status: int = 0) -> int:
    """The instructions of one run; it may end with 0, 1 or `status`."""
    command, pattern = COUNTERS[counter]
    with open(stdin or os.devnull, "rb") as source:
        done = subprocess.run(
            [*command, program, *arguments], cwd=ROOT, stdin=source, capture_output=True, timeout=3600
        )
    messages = done.stderr.decode(errors="replace")
    found = re.search(pattern, messages, re.MULTILINE)
    if done.returncode not in (0, 1, status) or found is None:
        sys.exit(f"count_instructions: {' '.join(arguments)} ends with {done.returncode}: {messages[-400:]}")
    return int(found.group(1))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("figures", type=Path)
    parser.add_argument("--compiler", default="", help="what the program was built by, and how")
    parser.add_argument("--record", action="store_true", help="write the figures anew")
    args = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not here")
        return SKIPPED
    recorded = json.loads(args.figures.read_text(encoding="utf-8")) if args.figures.is_file() else {}
    if not args.record and recorded.get("compiler") != args.compiler:
        print(f"skipped: recorded for {recorded.get('compiler')}, this is {args.compiler}")
        return SKIPPED
    counts = {}
    with tempfile.TemporaryDirectory() as folder:
        made = {"LENGTHS": Path(folder) / "lengths.txt", "TRAINING": Path(folder) / "training.log"}
        lengths = "".join(f"{16 + (i * i) % 977}\n" for i in range(20_000))
        made["LENGTHS"].write_text(lengths, encoding="utf-8")
        bench_lint.make_log(made["TRAINING"], megabytes=4, kind="training")
        for name, arguments in COMMANDS.items():
            counts[name] = count(args.program, [str(made.get(word, word)) for word in arguments])
    if args.record:
        told = {"schema": SCHEMA, "compiler": args.compiler, "instructions": counts}
        args.figures.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        return 0
    has_more = False
    for name, now in counts.items():
        before = recorded["instructions"].get(name)
        if before is None:
            print(f"{name}: not recorded")
            has_more = True
            continue
        change = now / before - 1
        verdict = "more than is allowed" if change > TOLERANCE else "less: record it" if change < -TOLERANCE else ""
        print(f"{name:16} {before:>14,} {now:>14,} {change:+7.1%} {verdict}")
        has_more |= change > TOLERANCE
    return 1 if has_more else 0


if __name__ == "__main__":
    sys.exit(main())
