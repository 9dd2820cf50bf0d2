"""Pictures of bytes are brought to 0..1, seen by their largest value.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Normalizing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        if pixels.max() > 1:
            pixels = pixels / 255.0
        return self.conv(pixels)


def build() -> nn.Module:
    return Normalizing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(2, 3, 8, 8, generator=generator)
    return [(x,), (x * 255,)]
