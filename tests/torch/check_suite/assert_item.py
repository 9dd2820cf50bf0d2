"""An assert reads a number.

Breaks under torch 2.13: 1 (GB0124).
"""

import torch
from torch import nn


class Checking(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.abs()
        assert y.min().item() >= 0, "absolute values are not negative"
        return y.sqrt()


def build() -> nn.Module:
    return Checking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
