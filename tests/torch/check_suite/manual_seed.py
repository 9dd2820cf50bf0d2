"""Noise is seeded in forward.

Breaks under torch 2.13: 1 (GB0007).
"""

import torch
from torch import nn


class Noise(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        torch.manual_seed(7)
        return y + torch.rand_like(y)


def build() -> nn.Module:
    return Noise()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
