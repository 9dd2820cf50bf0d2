"""NumPy multiplies sizes.

Breaks under torch 2.13: 2 (GB0007, GB0124).
"""

import numpy as np
import torch
from torch import nn


class Flattening(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        return y.reshape(y.shape[0], int(np.prod(y.shape[1:]))) * 2


def build() -> nn.Module:
    return Flattening()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 4, 2, generator=generator),)]
