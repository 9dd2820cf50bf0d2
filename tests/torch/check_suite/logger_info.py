"""A module's logger tells sizes at every call.

Breaks under torch 2.13: 1 (GB0291).
"""

import logging

import torch
from torch import nn

logger = logging.getLogger(__name__)


class Logging(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        hidden = self.layer(x)
        logger.info("hidden of %d rows", hidden.shape[0])
        return torch.relu(hidden)


def build() -> nn.Module:
    return Logging()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
