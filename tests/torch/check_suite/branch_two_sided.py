"""A value is chosen by the sign of a sum, with a comment on each side.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Choosing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.sum() > 0:
            y = x * 2  # stretch
        else:
            y = x - 1  # shift
        return y.tanh()


def build() -> nn.Module:
    return Choosing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 8, generator=generator)
    return [(x,), (-x,)]
