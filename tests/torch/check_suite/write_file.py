"""Statistics are appended to a file.

Breaks under torch 2.13: 1 (GB0059).
"""

import os
import tempfile

import torch
from torch import nn

PATH = os.path.join(tempfile.gettempdir(), "shapewise-suite.txt")


class Recording(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sigmoid()
        with open(PATH, "a") as file:
            file.write(f"{y.shape}\n")
        return y * x


def build() -> nn.Module:
    return Recording()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
