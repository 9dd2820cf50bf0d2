"""The loss is the mean over what a mask leaves.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Loss(nn.Module):
    def forward(self, x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
        error = (x - target) ** 2
        valid = target > 0
        return error[valid].mean()


def build() -> nn.Module:
    return Loss()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, 8, generator=generator)
    return [(x, torch.randn(3, 8, generator=generator))]
