"""Breaks that somebody asked for, one of them alone in its branch.

Breaks under torch 2.13: 2 (GB0025).
"""

import torch
from torch import nn


class Breaking(nn.Module):
    def forward(self, x: torch.Tensor, split: bool = True) -> torch.Tensor:
        y = x.sin()
        torch._dynamo.graph_break()
        y = y + 1
        if split:
            torch._dynamo.graph_break()
        return y * x


def build() -> nn.Module:
    return Breaking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
