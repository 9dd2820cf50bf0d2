"""The storage of a fresh tensor is exchanged through .data.

Breaks under torch 2.13: 1 (GB0056).
"""

import torch
from torch import nn


class Exchanging(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.zeros_like(x)
        y.data = x * 2
        return y + 1


def build() -> nn.Module:
    return Exchanging()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
