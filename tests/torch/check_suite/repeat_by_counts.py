"""Rows are repeated by a tensor of counts.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Repeating(nn.Module):
    def forward(self, x: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        return torch.repeat_interleave(x, counts, dim=0).sum(0)


def build() -> nn.Module:
    return Repeating()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator), torch.tensor([1, 2, 3]))]
