"""A number goes out of a tensor and back into another.

Breaks under torch 2.13: 1 (GB0124).
"""

import torch
from torch import nn


class Boxing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        largest = torch.tensor(x.max().item())
        return x / largest


def build() -> nn.Module:
    return Boxing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
