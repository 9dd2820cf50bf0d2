"""A package is imported by name at every call.

Breaks under torch 2.13: 1 (GB0007).
"""

import importlib

import torch
from torch import nn


class Turning(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        return y * importlib.import_module("math").pi


def build() -> nn.Module:
    return Turning()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
