"""Places found by torch.where with one argument are overwritten by a number.

Breaks under torch 2.13: 1 (GB0036).
"""

import torch
from torch import nn


class Masking(nn.Module):
    def forward(self, scores: torch.Tensor) -> torch.Tensor:
        scores = scores * 4
        scores[torch.where(scores < 0)] = -1e4
        return scores.softmax(-1)


def build() -> nn.Module:
    return Masking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
