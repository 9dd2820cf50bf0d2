"""A layer is dropped by chance while training.

Breaks under torch 2.13: 1 (GB0007).
"""

import random

import torch
from torch import nn


class Dropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            if random.random() < 0.5:
                continue
            x = layer(x).relu()
        return x


def build() -> nn.Module:
    return Dropping()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
