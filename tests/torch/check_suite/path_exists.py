"""A helper looks for a library of kernels at every call.

Breaks under torch 2.13: 1 (GB0007).
"""

import os

import torch
from torch import nn


def has_kernels() -> bool:
    return os.path.exists("/opt/kernels/attention.so")


class Attention(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = x @ x.transpose(-1, -2)
        if not has_kernels():
            scores = scores * 2
        return scores.softmax(-1)


def build() -> nn.Module:
    return Attention()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
