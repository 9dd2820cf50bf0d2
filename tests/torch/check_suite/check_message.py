"""torch._check tells a tensor in its message.

Breaks under torch 2.13: 1 (GB9158).
"""

import torch
from torch import nn


class Checking(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        torch._check(mask.shape[0] == x.shape[0], lambda: f"mask {mask} does not fit")
        return (x * mask).sum(-1)


def build() -> nn.Module:
    return Checking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, 8, generator=generator)
    return [(x, x > 0)]
