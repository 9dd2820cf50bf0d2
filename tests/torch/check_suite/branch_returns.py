"""Each side of a branch on a mean returns.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Choosing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.high = nn.Linear(8, 4)
        self.low = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + 0.5
        if x.mean() > 0.5:
            return self.high(x)
        return self.low(x)


def build() -> nn.Module:
    return Choosing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 8, generator=generator)
    return [(x,), (-x,)]
