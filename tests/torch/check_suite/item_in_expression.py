"""A number is read and used in one expression.

Breaks under torch 2.13: 1 (GB0124).
"""

import torch
from torch import nn


class Scaling(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.temperature = nn.Parameter(torch.tensor(2.0))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * self.temperature.item()
        return y.softmax(dim=-1)


def build() -> nn.Module:
    return Scaling()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
