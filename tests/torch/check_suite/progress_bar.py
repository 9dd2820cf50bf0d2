"""Steps of a solver are shown by a progress bar.

Breaks under torch 2.13: 1 (GB0156).
"""

import torch
from torch import nn
from tqdm import tqdm


class Solving(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for step in tqdm(range(3), desc="steps"):
            x = x - 0.1 * x.sin() * step
        return x


def build() -> nn.Module:
    return Solving()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
