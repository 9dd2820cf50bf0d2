"""torch._check_value tells a number of the module in its message.

Breaks under torch 2.13: 1 (GB9158).
"""

import torch
from torch import nn


class Checking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.width = 8

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        torch._check_value(
            x.shape[-1] == self.width, lambda: f"{self.width} columns are wanted, not {x.shape[-1]}"
        )
        return x.softmax(-1)


def build() -> nn.Module:
    return Checking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
