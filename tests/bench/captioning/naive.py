"""Runs of the case study that leave a trace: naive.py WHAT CALLS DEVICE [BACKEND].

WHAT: "train" trains over all calls with one static graph a length, as one would at first. "body" makes a few calls that show Dynamo
the function with sizes that vary, "blocks" the same with each block compiled by itself; neither makes kernels.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from data import make_inputs
from model import build

# The first is compiled for itself, the second finds that the length varies.
PROBED_LENGTHS = (48, 80)


def train(calls: list[dict[str, object]], device: str, backend: str) -> None:
    """All steps of the recorded run."""
    model = build().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    step = torch.compile(model, dynamic=False, backend=backend)
    for call in calls:
        optimizer.zero_grad(set_to_none=True)
        step(**make_inputs(call)).backward()
        optimizer.step()


def probe(call: dict[str, object], device: str, *, blocks: bool) -> None:
    """Calls of two lengths, compiled to nothing."""
    model = build().to(device)
    if blocks:
        for block in [*model.encoder, *model.decoder]:
            block.forward = torch.compile(block.forward, backend="eager")
    step = model if blocks else torch.compile(model, backend="eager")
    for length in PROBED_LENGTHS:
        told = json.loads(json.dumps(call))
        for name in ("tokens", "labels"):
            told["inputs"][name]["size"][1] = length
        step(**make_inputs(told))


def main() -> int:
    """Reads the command line."""
    what, path, device = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    calls = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if what == "train":
        train(calls, device, sys.argv[4])
    else:
        probe(calls[0], device, blocks=what == "blocks")
    return 0


if __name__ == "__main__":
    sys.exit(main())
