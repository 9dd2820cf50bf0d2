"""A tensor becomes text that only a logger sees.

Breaks under torch 2.13: 1 (GB0291).
"""

import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Telling(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.mean(0)
        logger.info(f"means {y}")
        return y * 2


def build() -> nn.Module:
    return Telling()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
