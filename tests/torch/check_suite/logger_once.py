"""A warning that is told once, by a helper of the project.

Breaks under torch 2.13: 1 (GB0291).
"""

import functools
import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


@functools.lru_cache(None)
def warn_once(message: str) -> None:
    logger.warning(message)


class Warning_(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x + 1
        if x.shape[-1] > 4:
            warn_once("more than four features")
        return y * y


def build() -> nn.Module:
    return Warning_()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
