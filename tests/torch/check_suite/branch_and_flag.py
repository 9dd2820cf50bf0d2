"""A setting and a tensor decide together; the branch changes a tensor in place.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Choosing(nn.Module):
    def __init__(self, clip: bool = True) -> None:
        super().__init__()
        self.clip = clip
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.layer(x)
        if self.clip and hidden.abs().max() > 0.5:
            hidden *= 0.5
        return hidden.relu()


def build() -> nn.Module:
    return Choosing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 8, generator=generator)
    return [(x * 10,), (x * 0,)]
