"""A loop runs until a norm is small.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Shrinking(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        while x.norm() > 1:
            x = x / 2
        return x


def build() -> nn.Module:
    return Shrinking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator) * 10,)]
