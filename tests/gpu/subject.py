"""What the harness is measured with on a GPU: a module over rows of a length that varies. FILE.py:build."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WIDTHS = {"small": 32, "full": 1024}
LENGTHS = (64, 96, 64, 128, 64, 160, 96, 64, 192, 128, 64, 96)
ROWS = {"small": 2, "full": 8}


def scale() -> str:
    """As the environment has it, "small" or "full"."""
    return os.environ.get("SHAPEWISE_GPU_SCALE", "small")


class Tagger(nn.Module):
    """Layers of many small kernels: what launching costs can be seen."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(6))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(6))

    def forward(self, x: Tensor) -> Tensor:
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = x + F.silu(layer(norm(x))) * torch.sigmoid(x)
        return x


def build() -> nn.Module:
    """The module."""
    torch.manual_seed(0)
    return Tagger(WIDTHS[scale()])


def write_calls(path: Path, device: str) -> None:
    """A call record for each length (analyzer/docs/call-records.md)."""
    rows, width = ROWS[scale()], WIDTHS[scale()]
    with path.open("w", encoding="utf-8") as out:
        for length in LENGTHS:
            told = {"size": [rows, length, width], "device": device, "requires_grad": False}
            record = {"function": "forward", "file": "subject.py", "inputs": {"x": told}, "grad": "off"}
            out.write(json.dumps(record) + "\n")


if __name__ == "__main__":
    write_calls(Path(sys.argv[1]), sys.argv[2])
