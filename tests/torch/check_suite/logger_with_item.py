"""A logger is given a number that is read out of a tensor.

Breaks under torch 2.13: 2 (GB0124, GB0291).
"""

import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Logging(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.exp()
        logger.debug(
            "largest %.3f",
            y.max().item(),
        )
        return y / (1 + y)


def build() -> nn.Module:
    return Logging()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
