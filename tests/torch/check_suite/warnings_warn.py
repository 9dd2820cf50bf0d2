"""A deprecated argument is warned of.

Breaks under torch 2.13: 1 (GB0007).
"""

import warnings

import torch
from torch import nn


class Deprecated(nn.Module):
    def forward(self, x: torch.Tensor, scale: float | None = None) -> torch.Tensor:
        y = x.cos()
        if scale is not None:
            warnings.warn("scale is deprecated", FutureWarning, stacklevel=2)
            y = y * scale
        return y - x


def build() -> nn.Module:
    return Deprecated()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator), 2.0)]
