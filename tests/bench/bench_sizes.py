#!/usr/bin/env python3
"""Speed and memory of `shapewise buckets` on lengths from a pipe, beside wc -l in the same run.

    tests/bench/bench_sizes.py PROGRAM [--lengths 1000000,10000000,100000000] [--runs 1] [--folder FOLDER]

The lengths are drawn log-normally with a fixed seed, clipped to 1..32768, and repeat after a million. Memory is what is
resident and not mapped from files: it must not grow with the lengths. An answer counts only if all of them were read.
No figure is tested, because machines differ.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from measured_run import median_of

DISTINCT_DRAWS = 1_000_000


def make_lengths(path: Path, count: int) -> None:
    """Writes `count` lengths, one a line."""
    draw = random.Random(20265)
    lines = [f"{min(32768, max(1, round(draw.lognormvariate(6.5, 1.2))))}\n" for _ in range(min(count, DISTINCT_DRAWS))]
    block = "".join(lines)
    with path.open("w", encoding="ascii") as out:
        for _ in range(count // len(lines)):
            out.write(block)
        out.write("".join(lines[: count % len(lines)]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--lengths", default="1000000,10000000,100000000")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--folder", help="where the lengths are written; they are removed again")
    arguments = parser.parse_args()
    print("    lengths  wc -l s  buckets s  CPU s  ns of CPU a length  MiB")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for count in map(int, arguments.lengths.split(",")):
            path = Path(folder) / "lengths.txt"
            make_lengths(path, count)
            wc = median_of(["wc", "-l"], arguments.runs, lambda run: run.seconds, path)
            command = [arguments.program, "buckets", "-", "--buckets", "16", "--format", "json"]
            run = median_of(command, arguments.runs, lambda run: run.seconds, path)
            calls = json.loads(run.output)["sizes"]["calls"]
            if calls != count:
                print(f"{calls} calls of {count} were read")
                return 1
            print(
                f"{count:11}  {wc.seconds:7.2f}  {run.seconds:9.2f}  {run.cpu:5.2f}  {run.cpu / count * 1e9:18.0f}"
                f"  {run.anon_mib:3.0f}"
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
