"""The number of valid places is that of the rows of nonzero.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Averaging(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        count = mask.nonzero().shape[0]
        return (x * mask).sum() / count


def build() -> nn.Module:
    return Averaging()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, 8, generator=generator)
    return [(x, x > 0)]
