"""Integers are drawn in place.

Breaks under torch 2.13: 1 (GB0107).
"""

import torch
from torch import nn


class Drawing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noise = torch.zeros_like(x)
        noise.random_(0, 10)
        return x + noise


def build() -> nn.Module:
    return Drawing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
