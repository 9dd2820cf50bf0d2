"""A print stands on the line of its if.

Breaks under torch 2.13: 1 (GB0059).
"""

import torch
from torch import nn


class Printing(nn.Module):
    verbose = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.sin(x)
        if self.verbose: print("sin", flush=True)
        return y + x


def build() -> nn.Module:
    return Printing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
