"""Python sorts tensors.

Breaks under torch 2.13: 1 (GB0059).
"""

import torch
from torch import nn


class Smallest(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        losses = [x.square().mean(), x.abs().mean(), x.amax()]
        return sorted(losses)[0] * 2


def build() -> nn.Module:
    return Smallest()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
