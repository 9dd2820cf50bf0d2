"""Numbers are printed between two layers.

Breaks under torch 2.13: 1 (GB0059).
"""

import torch
from torch import nn


class Printing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(8, 8)
        self.second = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = torch.relu(self.first(x))
        print("hidden", hidden)  # what goes into the second layer
        return self.second(hidden)


def build() -> nn.Module:
    return Printing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
