"""float() of a mean is subtracted, and bounds a clamp.

Breaks under torch 2.13: 2 (GB0124).
"""

import torch
from torch import nn


class Centering(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        center = float(x.mean())
        high = float(x.max())
        return (x - center).clamp(max=high)


def build() -> nn.Module:
    return Centering()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
