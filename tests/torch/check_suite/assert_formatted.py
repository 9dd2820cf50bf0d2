"""An assert on a tensor has an f-string for its message.

Breaks under torch 2.13: 1 (GB0170, not counted by Dynamo).
"""

import torch
from torch import nn


class Checking(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        assert (y >= 0).all(), f"negative in {y.shape[0]} rows"
        return y.sqrt()


def build() -> nn.Module:
    return Checking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
