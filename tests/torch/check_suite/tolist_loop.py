"""Weights are taken one by one out of a list.

Breaks under torch 2.13: 1 (GB0109).
"""

import torch
from torch import nn


class Weighing(nn.Module):
    def forward(self, x: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        total = torch.zeros_like(x)
        for weight in weights.tolist():
            total = total + x * weight
        return total.sin()


def build() -> nn.Module:
    return Weighing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator), torch.rand(4, generator=generator))]
