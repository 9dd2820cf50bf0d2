"""The time of a layer is logged.

Breaks under torch 2.13: 3 (GB0007, GB0291).
"""

import logging
import time

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Timing(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        began = time.perf_counter()
        y = self.layer(x)
        spent = time.perf_counter() - began
        logger.info("layer took %.3f s", spent)
        return y.relu()


def build() -> nn.Module:
    return Timing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
