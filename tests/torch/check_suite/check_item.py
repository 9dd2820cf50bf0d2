"""torch._check is asked of a number that is read out of a tensor.

Breaks under torch 2.13: 1 (GB0124).
"""

import torch
from torch import nn


class Checking(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.softmax(-1)
        torch._check((y >= 0).all().item(), lambda: "probabilities are not negative")
        return y.log()


def build() -> nn.Module:
    return Checking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
