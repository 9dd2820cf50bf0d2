"""The bounds of uniform_ come as a dict, since one of their names is a word of Python's.

Breaks under torch 2.13: 1 (GB0110).
"""

import torch
from torch import nn


class Drawing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        noise = torch.empty_like(x)
        noise.uniform_(**{"from": -1.0, "to": 1.0})
        return x + noise


def build() -> nn.Module:
    return Drawing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
