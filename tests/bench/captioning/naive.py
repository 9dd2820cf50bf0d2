"""The naive run of the case study, to be traced: naive.py CALLS DEVICE."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch
from data import make_inputs
from model import build


def main() -> int:
    """Trains over the recorded calls with one static graph a length."""
    calls, device = Path(sys.argv[1]), sys.argv[2]
    model = build().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    step = torch.compile(model, dynamic=False)
    for line in calls.read_text(encoding="utf-8").splitlines():
        optimizer.zero_grad(set_to_none=True)
        step(**make_inputs(json.loads(line))).backward()
        optimizer.step()
    return 0


if __name__ == "__main__":
    sys.exit(main())
