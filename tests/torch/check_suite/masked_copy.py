"""What a mask selects is copied from one tensor to another.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Merging(nn.Module):
    def forward(self, text: torch.Tensor, image: torch.Tensor, mask: torch.BoolTensor) -> torch.Tensor:
        merged = text * 2
        merged[mask] = image[mask]
        return merged.relu()


def build() -> nn.Module:
    return Merging()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    text = torch.randn(4, 4, 4, generator=generator)
    image = torch.randn(4, 4, 4, generator=generator)
    return [(text, image, torch.rand(4, 4, generator=generator) > 0.5)]
