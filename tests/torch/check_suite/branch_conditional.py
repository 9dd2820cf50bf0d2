"""A conditional expression asks for the truth of a tensor.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Choosing(nn.Module):
    def forward(self, x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        scaled = x * weight if weight.max() > 1 else x + weight
        return scaled.sigmoid()


def build() -> nn.Module:
    return Choosing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 8, generator=generator)
    return [(x, x), (x, x + 2)]
