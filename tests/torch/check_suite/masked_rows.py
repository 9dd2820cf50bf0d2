"""Rows that a mask leaves are returned: their number is data.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Filtering(nn.Module):
    def forward(self, boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        kept = boxes[scores > 0.5]
        return kept * 2


def build() -> nn.Module:
    return Filtering()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.rand(6, 4, generator=generator), torch.rand(6, generator=generator))]
