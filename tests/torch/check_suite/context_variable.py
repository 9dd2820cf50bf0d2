"""A context variable holds a scale.

Breaks under torch 2.13: 1 (GB0156).
"""

import contextvars

import torch
from torch import nn

SCALE: contextvars.ContextVar[float] = contextvars.ContextVar("scale", default=2.0)


class Scaling(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        return y * SCALE.get()


def build() -> nn.Module:
    return Scaling()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
