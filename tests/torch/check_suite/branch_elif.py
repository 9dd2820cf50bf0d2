"""Three ways by the size of a norm.

Breaks under torch 2.13: 2 (GB0170).
"""

import torch
from torch import nn


class Choosing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        size = x.norm()
        if size > 10:
            y = x / 10
        elif size > 1:
            y = x / 2
        else:
            y = x
        return y * y


def build() -> nn.Module:
    return Choosing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 8, generator=generator)
    return [(x * 100,), (x,), (x / 100,)]
