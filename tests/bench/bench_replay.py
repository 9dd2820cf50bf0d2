#!/usr/bin/env python3
"""What the native replay adds to an operator, beside Python.

    tests/bench/bench_replay.py SHAPEWISE SHAPEWISE_REPLAY

A chain of 1000 additions of one element: run natively, as the Python source that the dump is, and by torch.fx's
interpreter. Medians of rounds that take turns, one thread.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch

OPERATORS = 1000
ROUNDS = 7
RUNS = 20


def chain(x: torch.Tensor) -> torch.Tensor:
    """The additions."""
    for _ in range(OPERATORS):
        x = torch.ops.aten.add.Tensor(x, 1)
    return x


def dump_of(module: torch.fx.GraphModule) -> str:
    """The graph as print_readable shows it, with one symbol."""
    text = module.print_readable(print_output=False)
    return text.replace("def forward(self, x):", 'def forward(self, x: "f32[s0]cpu"):')


def median_seconds(run: Callable[[], object]) -> float:
    """Of one call."""
    times = []
    for _ in range(RUNS):
        begin = time.perf_counter()
        run()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main(arguments: list[str]) -> int:
    shapewise, replay = arguments
    torch.set_num_threads(1)
    module = torch.fx.symbolic_trace(chain)
    x = torch.zeros(1)
    interpreter = torch.fx.Interpreter(module)
    with tempfile.TemporaryDirectory() as scratch, torch.no_grad():
        dump, program = Path(scratch) / "chain.txt", Path(scratch) / "chain.json"
        dump.write_text(dump_of(module), encoding="utf-8")
        subprocess.run(
            [shapewise, "graph", "--format", "program", "--no-padding", "-o", str(program), str(dump)], check=True
        )
        command = [replay, "curve", str(program), "--symbol", "s0", "--sizes", "1", "--threads", "1"]
        seconds: dict[str, list[float]] = {"native": [], "python": [], "fx.Interpreter": []}
        for _ in range(ROUNDS):
            told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            seconds["native"].append(json.loads(told)["seconds"])
            seconds["python"].append(median_seconds(lambda: module(x)))
            seconds["fx.Interpreter"].append(median_seconds(lambda: interpreter.run(x)))
    for name, rounds in seconds.items():
        best, middle = min(rounds), statistics.median(rounds)
        print(
            f"{name:15} {middle / OPERATORS * 1e6:6.2f} us an operator, {best / OPERATORS * 1e6:.2f} in the best round"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
