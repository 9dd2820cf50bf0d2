"""A static helper counts values: what follows has as many rows as there are values.

Breaks under torch 2.13: 3, two after the fix.
"""

import torch
from torch import nn


class Ranks(nn.Module):
    @staticmethod
    @torch.no_grad()
    def mean_ranks(values: torch.Tensor) -> torch.Tensor:
        _, inverse, counts = torch.unique(values, return_inverse=True, return_counts=True)
        last = counts.cumsum(0)
        return (last - (counts - 1) / 2)[inverse]

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        ranks = self.mean_ranks(a) - self.mean_ranks(b)
        return ranks.square().mean()


def build() -> nn.Module:
    return Ranks()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [tuple(torch.randint(0, 5, (9,), generator=generator).float() for _ in range(2))]
