"""Values are divided by their largest one, read as a number.

Breaks under torch 2.13: 1 (GB0124).
"""

import torch
from torch import nn


class Scaling(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        largest = x.abs().max().item()
        y = x / largest
        return y.asin()


def build() -> nn.Module:
    return Scaling()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
