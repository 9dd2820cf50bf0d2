"""A tensor is copied by copy.deepcopy.

Breaks under torch 2.13: 1 (GB4198).
"""

import copy

import torch
from torch import nn


class Copying(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            kept = copy.deepcopy(x)
        kept += 1
        return kept * x


def build() -> nn.Module:
    return Copying()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
