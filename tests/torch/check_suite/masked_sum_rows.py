"""Rows that a mask leaves are summed: the mask has fewer dims than what it selects from.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Pooling(nn.Module):
    def forward(self, hidden: torch.Tensor, mask: torch.BoolTensor) -> torch.Tensor:
        total = hidden[mask].sum()
        return total / hidden.shape[0]


def build() -> nn.Module:
    return Pooling()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.randn(3, 4, 8, generator=generator)
    return [(hidden, torch.rand(3, 4, generator=generator) > 0.5)]
