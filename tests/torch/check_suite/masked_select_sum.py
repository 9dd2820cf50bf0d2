"""masked_select, then a sum.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Summing(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        return torch.masked_select(x, mask).sum() + x.mean()


def build() -> nn.Module:
    return Summing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, 8, generator=generator)
    return [(x, x > 0)]
