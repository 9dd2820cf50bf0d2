#!/usr/bin/env python3
"""Plans of buckets as text to paste, run by PyTorch itself.

    tests/torch/check_bucket_emit.py PRINT_BUCKET_TEXT

The module that is printed for torch.compile is imported, and a model that masks its padding is called through it. As
many graphs must be compiled as the plan says, results must be those of the model without padding, and sizes beyond the
plan must neither raise nor take over the buckets. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

SKIPPED = 77
NEEDED_TORCH = "2.13"


class Failure(Exception):
    """What was promised and did not hold."""


def check(held: bool, what: str) -> None:
    if not held:
        raise Failure(what)


def imported(program: str, folder: Path, *arguments: str) -> ModuleType:
    """The module that the program prints for these arguments, written to `folder`."""
    text = subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout
    check(all(len(line) <= 88 for line in text.splitlines()), "a line is longer than 88 columns")
    path = folder / "bucket_plan.py"
    path.write_text(text)
    specification = importlib.util.spec_from_file_location("bucket_plan", path)
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def printed(program: str, *arguments: str) -> ModuleType:
    """What is printed for PyTorch."""
    with tempfile.TemporaryDirectory() as folder:
        return imported(program, Path(folder), "pytorch", *arguments)


class Compiles:
    """How many graphs Dynamo has made since the last reset, by its own counter."""

    def __init__(self) -> None:
        import torch._dynamo
        from torch._dynamo.utils import counters

        torch._dynamo.reset()
        counters.clear()
        self.counters = counters

    def count(self) -> int:
        return self.counters["stats"]["unique_graphs"]


def masked_mean(x: Any, mask: Any) -> Any:
    """Of [batch, length, width], over the length; what the mask leaves out has no part in it."""
    import torch

    weight = torch.softmax(x.sum(-1).masked_fill(mask == 0, float("-inf")), dim=-1)
    return (torch.tanh(x) * weight.unsqueeze(-1)).sum(1)


def inputs(batch: int, length: int) -> tuple[Any, Any]:
    import torch

    generator = torch.Generator().manual_seed(batch * 1000 + length)
    return torch.randn(batch, length, 8, generator=generator), torch.ones(batch, length)


def same(actual: Any, expected: Any, what: str) -> None:
    import torch

    check(torch.allclose(actual, expected, atol=1e-5), f"another result than without padding: {what}")


def check_line(program: str, backend: str, buckets: list[int]) -> None:
    """One dim: as many graphs as buckets, made by the warm-up; none later, whatever comes."""
    import torch

    plan = printed(program, "buckets", "8", ",".join(map(str, buckets)))
    check(list(plan.BUCKETS) == buckets, "other buckets than those of the plan")
    check(torch._dynamo.config.recompile_limit >= len(buckets), "the limit is too low for the plan")
    compiles = Compiles()
    compiled = torch.compile(masked_mean, backend=backend)

    def padded(length: int) -> tuple[Any, Any]:
        x, mask = inputs(2, length)
        return plan.pad_to_bucket(x, 1), plan.pad_to_bucket(mask, -1)

    plan.warm_up(compiled, padded)
    check(compiles.count() == len(buckets), f"{compiles.count()} graphs for {len(buckets)} buckets")
    lengths = [*range(1, buckets[-1] + 1), buckets[-1] + 5, *buckets, buckets[-1] + 9, *buckets]
    random.Random(1).shuffle(lengths)
    for length in lengths[:200]:
        result = plan.call(compiled, length, *padded(length))
        same(result, masked_mean(*inputs(2, length)), f"length {length}")
        check(compiles.count() == len(buckets), f"length {length} was compiled once more")

    # The other dim varies: each bucket gets one graph more, and the limit leaves room for that.
    with torch._dynamo.config.patch(fail_on_recompile_limit_hit=True):
        for batch in (3, 5, 4):
            for length in buckets:
                x, mask = inputs(batch, length)
                result = plan.call(compiled, length, plan.pad_to_bucket(x, 1), plan.pad_to_bucket(mask, 1))
                same(result, masked_mean(*inputs(batch, length)), f"batch {batch}, length {length}")
            check(compiles.count() == 2 * len(buckets), f"{compiles.count()} graphs once the batch varies")


def check_trap(program: str, backend: str) -> None:
    """What the text warns of: without the mark two graphs serve all, the second a dynamic one."""
    import torch

    plan = printed(program, "buckets", "8", "16,32,64")
    compiles = Compiles()
    compiled = torch.compile(masked_mean, backend=backend)
    for length in (64, 32, 16):
        x, mask = inputs(2, length)
        compiled(x, mask)
    check(compiles.count() == 2, "the trap that the mark is for is none any more")
    check(plan.BUCKETS == (16, 32, 64), "other buckets")


def check_joint(program: str, backend: str) -> None:
    """Two dims: each call runs at the cheapest bucket that holds it."""
    import torch

    buckets = [(2, 64), (4, 16), (4, 64), (8, 32)]
    plan = printed(program, "buckets", "8", ",".join(f"{b}x{s}" for b, s in buckets))
    check(sorted(plan.BUCKETS) == sorted(buckets), "other buckets than those of the plan")
    compiles = Compiles()
    compiled = torch.compile(masked_mean, backend=backend)

    def padded(sizes: tuple[int, int]) -> tuple[Any, Any]:
        x, mask = inputs(*sizes)
        bucket = plan.bucket_for(*sizes)
        return plan.pad_to_bucket(x, bucket, (0, 1)), plan.pad_to_bucket(mask, bucket, (0, 1))

    plan.warm_up(compiled, padded)
    check(compiles.count() == len(buckets), f"{compiles.count()} graphs for {len(buckets)} buckets")
    for sizes in itertools.product((1, 2, 3, 4, 7, 8, 9), (2, 16, 17, 32, 33, 64, 65)):
        holding = [b for b in buckets if b[0] >= sizes[0] and b[1] >= sizes[1]]
        bucket = plan.bucket_for(*sizes)
        check((bucket is None) == (not holding), f"{sizes}: a bucket that is none")
        if bucket:
            check(bucket[0] * bucket[1] == min(b * s for b, s in holding), f"{sizes}: not the cheapest")
        result = plan.call(compiled, sizes, *padded(sizes))[: sizes[0]]
        same(result, masked_mean(*inputs(*sizes)), f"{sizes}")
    check(compiles.count() == len(buckets), "a call was compiled once more")


def check_dynamic(program: str, backend: str) -> None:
    """One graph for all sizes; size 1 has its own."""
    import torch

    plan = printed(program, "dynamic", "8", "-")
    compiles = Compiles()
    compiled = torch.compile(masked_mean, backend=backend)
    for length in (7, 64, 2, 33, 12):
        x, mask = (plan.mark(tensor, 1) for tensor in inputs(2, length))
        same(compiled(x, mask), masked_mean(*inputs(2, length)), f"length {length}")
    check(compiles.count() == 1, f"{compiles.count()} graphs instead of one dynamic")
    same(compiled(*(plan.mark(tensor, 1) for tensor in inputs(2, 1))), masked_mean(*inputs(2, 1)), "length 1")
    check(compiles.count() == 2, "size 1 is told to have a graph of its own")


def check_mixed(program: str, backend: str) -> None:
    """Buckets beside one dynamic graph, each in its own cache."""
    plan = printed(
        program, "mixed", "8", "16,64,128",
        "1-16:bucket", "17-40:dynamic", "41-64:bucket", "65-100:aligned-dynamic", "101-128:bucket",
    )  # fmt: skip
    compiles = Compiles()
    planned = plan.Planned(masked_mean, backend=backend)

    def padded(length: int) -> tuple[Any, Any]:
        x, mask = inputs(2, length)
        return plan.pad_to_bucket(x, 1), plan.pad_to_bucket(mask, 1)

    planned.warm_up(padded)
    check(compiles.count() == 4, f"{compiles.count()} graphs instead of 3 static ones and a dynamic one")
    for length in range(1, 160):
        x, mask = padded(length)
        expected = {True: 16, 17 <= length <= 40: length, 41 <= length <= 64: 64, 101 <= length <= 128: 128,
                    65 <= length <= 100: -(-length // 8) * 8, length > 128: length}[True]  # fmt: skip
        check(x.shape[1] == expected, f"length {length} was padded to {x.shape[1]}, not {expected}")
        same(planned(length, x, mask), masked_mean(*inputs(2, length)), f"length {length}")
    check(compiles.count() == 4, "a call was compiled once more")


def main() -> int:
    try:
        import torch
    except ImportError:
        print("skipped: no torch")
        return SKIPPED
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: torch {torch.__version__}, not {NEEDED_TORCH}")
        return SKIPPED
    program = sys.argv[1]
    checks = [
        ("one dim", lambda: check_line(program, "inductor", [16, 32, 64])),
        ("12 buckets, more than the limit", lambda: check_line(program, "eager", list(range(8, 104, 8)))),
        ("one size", lambda: check_line(program, "eager", [24])),
        ("without the mark", lambda: check_trap(program, "eager")),
        ("two dims", lambda: check_joint(program, "eager")),
        ("one dynamic graph", lambda: check_dynamic(program, "eager")),
        ("mixed", lambda: check_mixed(program, "eager")),
    ]
    failed = 0
    for name, run in checks:
        try:
            run()
            print(f"held    {name}")
        except Failure as failure:
            failed += 1
            print(f"failed  {name}: {failure}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
