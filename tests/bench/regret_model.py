"""What regret.py runs: layers over tokens, a few milliseconds a call. Padding changes no real token's result."""

from __future__ import annotations

import torch
from torch import nn

VOCABULARY = 2  # inputs that are made hold 0 and 1
WIDTH = 128
HIDDEN = 512
LAYERS = 2


class Layers(nn.Module):
    """An embedding and blocks of two matrix products each."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(
            nn.Sequential(nn.LayerNorm(WIDTH), nn.Linear(WIDTH, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, WIDTH))
            for _ in range(LAYERS)
        )

    def hidden(self, tokens: torch.Tensor) -> torch.Tensor:
        """What the blocks make of the tokens."""
        x = self.embed(tokens)
        for block in self.blocks:
            x = x + block(x)
        return x


class Forward(Layers):
    """A value for each token."""

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        return self.hidden(tokens).mean(dim=-1)


class Training(Layers):
    """A loss, to which a token adds as much as its weight says: padding, 0, nothing."""

    def forward(self, tokens: torch.Tensor, weights: torch.Tensor) -> torch.Tensor:
        return (self.hidden(tokens).square().mean(dim=-1) * weights).sum()


def forward() -> nn.Module:
    """Without a backward pass."""
    return Forward().eval()


def training() -> nn.Module:
    """With one."""
    return Training()
