"""A lock is taken while a cache is filled.

Breaks under torch 2.13: 1 (GB0142).
"""

import threading

import torch
from torch import nn

LOCK = threading.Lock()


class Caching(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.cos()
        with LOCK:
            y = y + 1
        return y * x


def build() -> nn.Module:
    return Caching()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
