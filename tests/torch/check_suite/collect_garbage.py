"""Memory is cleared between two steps.

Breaks under torch 2.13: 1 (GB0007).
"""

import gc

import torch
from torch import nn


class Clearing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x @ x.T
        gc.collect()
        return y.sum(-1)


def build() -> nn.Module:
    return Clearing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
