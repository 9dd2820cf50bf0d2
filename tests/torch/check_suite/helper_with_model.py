"""A helper that calls a part of the model is compiled on: only its own breaks remain.

Breaks under torch 2.13: 3; no fix.
"""

import torch
from torch import nn


class Steps(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.change = nn.Linear(4, 4)

    def advance(self, x: torch.Tensor) -> torch.Tensor:
        step = self.change(x)
        chosen = step[step > 0]
        rest = step[step <= 0]
        return x + chosen.sum() - rest.sum()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.advance(x) * 2


def build() -> nn.Module:
    return Steps()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 4, generator=generator),)]
