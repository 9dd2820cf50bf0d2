"""A Parameter is made at every call.

Breaks under torch 2.13: 1 (GB0264).
"""

import torch
from torch import nn


class Making(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale = nn.Parameter(torch.full((8,), 2.0), requires_grad=False)
        return x * scale


def build() -> nn.Module:
    return Making()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
