#!/usr/bin/env python3
"""What the native replay adds to an operator, beside Python.

    tests/bench/bench_replay.py SHAPEWISE_REPLAY [--json]

A chain of 1000 additions of one element, one thread: called directly from C++, run as a program by the native replay, as
the Python source that a dump is, and by torch.fx's interpreter. What else a machine does makes rounds longer, never
shorter: of many that take turns the shortest counts. Overhead is what the native replay takes beyond direct calls.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

OPERATORS = 1000
NATIVE_ROUNDS = 100
PYTHON_ROUNDS = 20
TURNS = 5


def chain(x: torch.Tensor) -> torch.Tensor:
    """The additions."""
    for _ in range(OPERATORS):
        x = torch.ops.aten.add.Tensor(x, 1)
    return x


def shortest_ns(run: Callable[[], object]) -> float:
    """Nanoseconds an operator in the best round."""
    best = float("inf")
    for _ in range(PYTHON_ROUNDS):
        begin = time.perf_counter_ns()
        run()
        best = min(best, time.perf_counter_ns() - begin)
    return best / OPERATORS


def measure(replay: str) -> dict[str, Any]:
    """Nanoseconds an operator by each means."""
    torch.set_num_threads(1)
    module = torch.fx.symbolic_trace(chain)
    interpreter = torch.fx.Interpreter(module)
    x = torch.zeros(1)
    command = [replay, "overhead", "--operators", str(OPERATORS), "--rounds", str(NATIVE_ROUNDS)]
    best: dict[str, float] = {}
    added = []
    with torch.no_grad():
        for _ in range(TURNS):
            told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            added.append(told["overhead_ns"])
            turn = {
                "direct calls": told["direct_ns"],
                "native": told["interpreted_ns"],
                "Python source": shortest_ns(lambda: module(x)),
                "fx.Interpreter": shortest_ns(lambda: interpreter.run(x)),
            }
            best = {name: min(value, best.get(name, value)) for name, value in turn.items()}
    return {"operators": OPERATORS, "ns_an_operator": best, "overhead_ns": best["native"] - best["direct calls"], "overhead_ns_by_turn": added}


def main(arguments: list[str]) -> int:
    """Prints a table, or JSON."""
    told = measure(arguments[0])
    if "--json" in arguments:
        print(json.dumps(told))
        return 0
    for name, value in told["ns_an_operator"].items():
        print(f"{name:15} {value / 1e3:6.2f} us an operator")
    print(f"{'overhead':15} {told['overhead_ns'] / 1e3:6.2f} us an operator")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
