"""A tensor is made to require gradients.

Breaks under torch 2.13: 1 (GB0206).
"""

import torch
from torch import nn


class Watching(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        y.requires_grad = True
        return y.pow(2).sum()


def build() -> nn.Module:
    return Watching()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
