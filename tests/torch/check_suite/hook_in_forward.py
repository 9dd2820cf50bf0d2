"""A hook on a gradient is set while the forward runs.

Breaks under torch 2.13: 1 (GB0467).
"""

import torch
from torch import nn


class Hooking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)
        self.seen = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = self.layer(x)
        self.layer.register_forward_hook(lambda module, args, result: None)
        return y.relu()


def build() -> nn.Module:
    return Hooking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
