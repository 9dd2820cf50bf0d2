"""Labels out of range are refused.

Breaks under torch 2.13: 1 (GB0170).
"""

import torch
from torch import nn


class Checking(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(16, 4)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        if tokens.max() >= 16:
            raise ValueError(f"a token of {tokens.max()} is not in the vocabulary")
        return self.embedding(tokens)


def build() -> nn.Module:
    return Checking()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randint(0, 16, (3, 5), generator=generator),)]
