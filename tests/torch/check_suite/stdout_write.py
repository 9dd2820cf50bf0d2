"""Progress is written to stdout by hand.

Breaks under torch 2.13: 2 (GB0156).
"""

import sys

import torch
from torch import nn


class Writing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 3
        sys.stdout.write("step\n")
        sys.stdout.flush()
        return y.sin()


def build() -> nn.Module:
    return Writing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
