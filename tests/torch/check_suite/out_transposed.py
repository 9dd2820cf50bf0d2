"""The result goes into a transposed tensor by out=, through a name.

Breaks under torch 2.13: 1 (GB0242).
"""

import torch
from torch import nn


class Filling(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        buffer = torch.zeros(8, x.shape[0])
        columns = buffer.t()
        torch.mul(x, 2, out=columns)
        return buffer + 1


def build() -> nn.Module:
    return Filling()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
