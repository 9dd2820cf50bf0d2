#!/usr/bin/env python3
"""Checks that the memory of `lint` and `lint --follow` does not grow with the lines of a log, and that counts stay exact.

    tests/tools/check_memory.py PROGRAM

Logs are made on the fly and streamed through standard input. Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Callable, Iterator

LINES = 1_000_000
# Far above what a run takes (some 10 MiB), far below what a million events would (some 300).
MOST_MIB = 64


def xla_counter(number: int) -> str:
    return f"pt-xla-profiler: CompileTime too frequent: {number + 10} counts during {number + 10} steps\n"


def xla_blocks(number: int) -> str:
    """A compilation of a new graph and its execution: 20 lines."""
    text = []
    for kind in ("Compilation", "Execution"):
        head = f"{kind} Analysis: "
        text += [
            head + "=" * 80,
            head + f"{kind} Cause",
            head + "  user mark_step",
            head + "Graph Info: ",
            head + f"  Graph Hash: {number:032x}",
            head + "  Number of Graph Inputs: 7",
            head + "Python Frame Triggered Execution: ",
            head + "  step (/w/train.py:12)",
            head + "-" * 80,
            head + "=" * 80,
        ]
    return "\n".join(text) + "\n"


def perf_hint(number: int) -> str:
    return f"Using FallbackKernel: aten.op{number}\n"


def cudagraph(number: int) -> str:
    return f"skipping cudagraphs due to mutated inputs ({number * 7919 % 1_000_003} instances)\n"


class Failure(Exception):
    """What did not hold."""


def check(holds: bool, what: str) -> None:
    if not holds:
        raise Failure(what)


def chunks(message: Callable[[int], str], count: int) -> Iterator[bytes]:
    for begin in range(0, count, 1000):
        yield "".join(message(number) for number in range(begin, min(begin + 1000, count))).encode()


def run(program: str, arguments: list[str], message: Callable[[int], str], count: int) -> tuple[str, float]:
    """The output of `program` fed with so many messages, and its largest memory in MiB."""
    # A sanitizer would keep freed memory.
    environment = dict(os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1")
    with subprocess.Popen(
        [program, "lint", *arguments, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False, env=environment
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for chunk in chunks(message, count):
            process.stdin.write(chunk)
        process.stdin.close()
        output = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    check(process.returncode in (0, 1), f"exit status {process.returncode}")
    return output, usage.ru_maxrss / 1024


def check_log(program: str, name: str, message: Callable[[int], str]) -> None:
    lines_each = message(0).count("\n")
    count = LINES // lines_each
    _, least = run(program, ["--format", "json"], message, 2000 // lines_each)

    output, mib = run(program, ["--format", "json", "--events"], message, count)
    result = json.loads(output)
    check(result["summary"]["lines"] == count * lines_each, f"{name}: lines {result['summary']['lines']}")
    check(len(result["findings"]) == 1, f"{name}: {len(result['findings'])} findings")
    check(result["findings"][0]["count"] == count, f"{name}: count {result['findings'][0]['count']}, not {count}")
    events = result["events"]
    events_each = 1 if lines_each == 1 else 2
    stands_for = sum(1 + event.get("folded", 0) for event in events)
    check(stands_for == count * events_each, f"{name}: events stand for {stands_for}")
    check(len(events) < 5000 * events_each, f"{name}: {len(events)} events kept")
    check(any("listed one by one" in gap for gap in result["gaps"]), f"{name}: does not say that repeats are folded")
    check(mib < least + MOST_MIB, f"{name}: {mib:.0f} MiB for {LINES} lines, {least:.0f} MiB for 2000")

    output, follow_mib = run(program, ["--follow", "--format", "jsonl"], message, count)
    findings = [entry for entry in map(json.loads, output.splitlines()) if entry["type"] == "finding"]
    check(findings[-1]["count"] == count, f"{name}: followed, count {findings[-1]['count']}")
    check(follow_mib < least + MOST_MIB, f"{name}: {follow_mib:.0f} MiB to follow {LINES} lines")
    print(f"{name}: {mib:.0f} MiB for {LINES} lines, {follow_mib:.0f} MiB followed, {least:.0f} MiB for 2000")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        for name, message in {
            "PyTorch/XLA counters": xla_counter,
            "PyTorch/XLA blocks": xla_blocks,
            "performance hints": perf_hint,
            "CUDA graphs": cudagraph,
        }.items():
            check_log(sys.argv[1], name, message)
    except Failure as failure:
        print(f"check_memory: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
