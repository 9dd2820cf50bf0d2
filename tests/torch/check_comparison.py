#!/usr/bin/env python3
"""Whether replays compare results as they should: masks must not hide differences, rounding must not make any.

    tests/torch/check_comparison.py [SHAPEWISE_REPLAY]

Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SKIPPED = 77

try:
    import torch
    from torch import Tensor
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(SKIPPED)

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from shapewise.replay.applied import with_own_code  # noqa: E402
from shapewise.replay.comparison import CoarsestType, Comparison  # noqa: E402

LOW = torch.finfo(torch.float32).min
INFINITY = float("inf")
FEW = torch.tensor([0.5, -1.25, 2.0, 0.75])


def masked(low: float, count: int) -> Tensor:
    """Ordinary numbers, then `count` of a mask."""
    return torch.cat([FEW, torch.full((count,), low)])


def with_scores(low: float) -> Tensor:
    """As a mask that is added to scores leaves them."""
    return torch.cat([FEW.repeat(4), low + FEW.repeat(8)])


def noise(seed: int, count: int, scale: float) -> Tensor:
    return scale * torch.randn(count, generator=torch.Generator().manual_seed(seed))


# What was wanted, what came, whether they are equal.
CASES: dict[str, tuple[Tensor, Tensor, bool]] = {
    "next to finfo.min": (
        masked(LOW, 2),
        masked(LOW, 2) + torch.tensor([0.1, 0, 0, 0, 0, 0]),
        False,
    ),
    "next to one finfo.min": (
        masked(LOW, 1),
        masked(LOW, 1) + torch.tensor([0.1, 0, 0, 0, 0]),
        False,
    ),
    "next to many -1e9": (
        masked(-1e9, 60),
        masked(-1e9, 60) + torch.tensor([0.1] + [0] * 63),
        False,
    ),
    "next to -1e4 and scores": (
        with_scores(-1e4),
        with_scores(-1e4) + torch.tensor([0.05] + [0] * 47),
        False,
    ),
    "a mask where a number was": (
        masked(LOW, 2),
        masked(LOW, 2).index_fill(0, torch.tensor([1]), LOW),
        False,
    ),
    "another mask": (masked(LOW, 2), masked(-1e9, 2), False),
    "-inf for finfo.min": (masked(LOW, 2), masked(-INFINITY, 2), False),
    "only masks and zeros": (torch.tensor([LOW, LOW, 0]), torch.tensor([LOW, LOW, 1]), False),
    "another infinity": (masked(INFINITY, 2), masked(-INFINITY, 2), False),
    "the same masks": (masked(LOW, 2), masked(LOW, 2), True),
    "the same infinities": (masked(-INFINITY, 2), masked(-INFINITY, 2), True),
    "not a number, twice": (masked(float("nan"), 2), masked(float("nan"), 2), True),
    "rounding next to masks": (masked(LOW, 2), masked(LOW, 2) * (1 - 2e-7), True),
    "rounding": (noise(1, 1000, 1), noise(1, 1000, 1) + noise(2, 1000, 1e-6), True),
    "rounding of large numbers": (
        noise(1, 1000, 1e6),
        noise(1, 1000, 1e6) + noise(2, 1000, 1),
        True,
    ),
    "a difference": (noise(1, 1000, 1), noise(1, 1000, 1) + noise(2, 1000, 1e-2), False),
}


def check_harness() -> list[str]:
    """The cases, by the harness."""
    faults = []
    for name, (wanted, got, is_equal) in CASES.items():
        comparison = Comparison()
        comparison.compare(got, wanted, [], name)
        if comparison.verdict is not is_equal:
            faults.append(f"harness: {name}: equal is {comparison.verdict}, {comparison.why}")
    return faults


def check_rounded_products() -> list[str]:
    """Where the program allows TF32, the last digits of float32 are not compared."""
    wanted, got = noise(1, 1000, 1), noise(1, 1000, 1) + noise(2, 1000, 3e-4)
    faults = []
    for rounds_products in (False, True):
        comparison = Comparison(rounds_products=rounds_products)
        comparison.compare(got, wanted, [], "products")
        if comparison.verdict is not rounds_products:
            faults.append(f"products: equal is {comparison.verdict}, {comparison.why}")
    return faults


def check_autocast() -> list[str]:
    """Results of float32 that were computed in bfloat16 are compared like bfloat16."""
    faults = []
    for dtype in (torch.bfloat16, torch.float32):
        with CoarsestType() as seen:
            wanted = (noise(1, 1000, 1).to(dtype) * 3).float()
        comparison = Comparison(coarsest=seen.dtype)
        comparison.compare(wanted + noise(2, 1000, 1e-2), wanted, [], "autocast")
        if comparison.verdict is not (dtype is torch.bfloat16):
            faults.append(f"{dtype}: equal is {comparison.verdict}, {comparison.why}")
    return faults


def check_rows() -> list[str]:
    """Rows whose magnitudes are far apart, as in a gradient of embeddings, are compared with their own."""
    wanted = noise(1, 64 * 32, 1).reshape(64, 32) * torch.logspace(0, -6, 64).unsqueeze(1)
    rounding = noise(2, 64 * 32, 1e-5).reshape(64, 32) * torch.logspace(0, -6, 64).unsqueeze(1)
    error = torch.zeros(64, 32)
    error[63, 7] = 1e-3
    faults = []
    for got, is_equal in ((wanted + rounding, True), (wanted + error, False)):
        comparison = Comparison()
        comparison.compare(got, wanted, [], "rows")
        if comparison.verdict is not is_equal:
            faults.append(f"rows: equal is {comparison.verdict}, {comparison.why}")
    return faults


def check_own_caches() -> list[str]:
    """Functions with code of their own do not serve each other's calls."""
    compiled = []

    def backend(graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Any:
        compiled.append(graph)
        return graph.forward

    def target(x: Tensor) -> Tensor:
        return x + 1

    for number in (0, 1):
        torch.compile(with_own_code(target, number), backend=backend)(torch.ones(2))
    return [] if len(compiled) == 2 else [f"own code: {len(compiled)} compiles instead of 2"]


def program_of(wanted: Tensor, got: Tensor) -> str:
    """A program whose only output is `wanted` at size 2 and `got` at size 3, then cut."""

    def call(target: str, args: list[Any], output: str, **kwargs: Any) -> dict[str, Any]:
        named = {"op": "call_function", "target": target, "args": args, "kwargs": kwargs}
        return {**named, "outputs": [output], "types": [None]}

    def numbers(values: Tensor) -> dict[str, Any]:
        texts = [
            {"const": str(number)} if number != number or abs(number) == INFINITY else number
            for number in values.double().tolist()
        ]
        return {"list": texts}

    dtype = {"const": "torch.float64"}
    symbol = {"sym": "s0"}
    tensor = {"kind": "tensor", "dtype": "torch.float32", "device": "cpu", "shape": [symbol]}
    size = {"expr": symbol}
    nodes = [
        call("torch.tensor", [numbers(wanted)], "a", dtype=dtype),
        call("torch.tensor", [numbers(got)], "b", dtype=dtype),
        call("aten.stack.default", [{"list": [{"value": "a"}, {"value": "b"}]}], "both"),
        call("operator.sub", [size, 2], "row"),
        call("aten.select.int", [{"value": "both"}, 0, {"value": "row"}], "one"),
        call("aten._to_copy.default", [{"value": "one"}], "out", dtype={"const": "torch.float32"}),
    ]
    return json.dumps(
        {
            "schema": "shapewise.program/1",
            "graph": 0,
            "name": "g",
            "symbols": [{"name": "s0", "hint": 2, "lower": 2, "upper": None}],
            "inputs": [{"name": "x", "kind": "input", "source": "", "type": tensor}],
            "nodes": nodes,
            "outputs": {"tuple": [{"value": "out"}]},
        }
    )


def check_native(replay: str) -> list[str]:
    """The cases, by `shapewise-replay pad`."""
    faults = []
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "program.json"
        for name, (wanted, got, is_equal) in CASES.items():
            path.write_text(program_of(wanted, got), encoding="utf-8")
            command = [replay, "pad", str(path), "--symbol", "s0", "--size", "2", "--to", "3"]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            told = json.loads(done.stdout.splitlines()[-1]) if done.stdout else {}
            if done.returncode != (0 if is_equal else 1) or told.get("equal") is not is_equal:
                faults.append(f"native: {name}: equal is {told.get('equal')} {done.stderr.strip()}")
    return faults


def main() -> int:
    """Runs all cases and prints what did not hold."""
    faults = check_harness() + check_rounded_products() + check_autocast() + check_rows()
    faults += check_own_caches()
    if len(sys.argv) > 1:
        faults += check_native(sys.argv[1])
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{len(CASES)} comparisons, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
