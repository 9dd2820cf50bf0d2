"""torch._check is given a text where it wants a function.

Breaks under torch 2.13: 2 (GB9840).
"""

import torch
from torch import nn


class Checking(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        torch._check(mask.shape[0] == x.shape[0], "the mask does not fit")
        y = x * mask
        torch._check_value(y.shape[-1] == 8, message="the columns do not fit")
        return y.sum(-1)


def build() -> nn.Module:
    return Checking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(3, 8, generator=generator)
    return [(x, x > 0)]
