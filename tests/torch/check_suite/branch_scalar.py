"""A factor is one of two numbers.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Choosing(nn.Module):
    def forward(self, x: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        if (labels > 0).any():
            factor = 2.0
        else:
            factor = 0.5
        return (x * factor).sum(-1)


def build() -> nn.Module:
    return Choosing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 8, generator=generator)
    return [(x, torch.tensor([0, 1])), (x, torch.tensor([0, 0]))]
