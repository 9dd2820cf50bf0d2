"""Two tensors are compared as wholes.

Breaks under torch 2.13: 1 (GB0033).
"""

import torch
from torch import nn


class Comparing(nn.Module):
    def forward(self, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
        scores = query @ key.T
        if torch.equal(query, key):
            scores = scores - scores.mean()
        return scores.softmax(-1)


def build() -> nn.Module:
    return Comparing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 8, generator=generator)
    return [(x, x), (x, x + 1)]
