"""Sequences of several lengths are packed; the lengths are data.

Breaks under torch 2.13: 1 (GB0033).
"""

import torch
from torch import nn


class Unpacking(nn.Module):
    def forward(self, packed: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        parts = torch.split(packed, lengths.tolist())
        return torch.stack([part.mean(0) for part in parts])


def build() -> nn.Module:
    return Unpacking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(9, 8, generator=generator), torch.tensor([2, 3, 4]))]
