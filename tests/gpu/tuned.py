"""A training program whose lengths vary, for `shapewise tune`: tuned.py DEVICE.

The size comes from SHAPEWISE_GPU_SCALE: "small" or "full".
"""

from __future__ import annotations

import os
import sys
from typing import Any

import torch
from torch import nn

IS_FULL = os.environ.get("SHAPEWISE_GPU_SCALE") == "full"
WIDTH, LAYERS, STEPS, LENGTH = (512, 2, 96, 192) if IS_FULL else (32, 1, 16, 12)


class Tagger(nn.Module):
    """An encoder with one class for each position."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(WIDTH, 4, 2 * WIDTH, dropout=0.0, batch_first=True)
        self.embed = nn.Embedding(1000, WIDTH)
        self.encoder = nn.TransformerEncoder(layer, LAYERS, enable_nested_tensor=False)
        self.head = nn.Linear(WIDTH, 16)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """The scores of each position."""
        scores: torch.Tensor = self.head(self.encoder(self.embed(ids)))
        return scores


def main() -> None:
    """Trains for a few steps; three lengths come in turn."""
    device = sys.argv[1]
    torch.manual_seed(0)
    model = Tagger().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
    step = torch.compile(model, dynamic=False)
    for number in range(STEPS):
        length = LENGTH + 8 * (number % 3)
        ids = torch.randint(0, 1000, (8, length), device=device)
        loss: Any = nn.functional.cross_entropy(step(ids).flatten(0, 1), (ids % 16).flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if number % 8 == 0:
            print(f"step {number}: loss {loss.item():.5f}", flush=True)


if __name__ == "__main__":
    main()
