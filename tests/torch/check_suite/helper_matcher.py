"""A helper picks rows by masks in several places: it runs without compiling, as one break.

Breaks under torch 2.13: 6, one after the fix.
"""

import torch
from torch import nn


def hard_pairs(distance: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    negatives = distance[labels == 0]
    positives = distance[labels == 1]
    hard_negatives = negatives[negatives < positives.max()]
    hard_positives = positives[positives > negatives.min()]
    return hard_positives.pow(2).sum() + torch.relu(0.5 - hard_negatives).pow(2).sum()


class PairLoss(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Linear(4, 8)

    def forward(self, a: torch.Tensor, b: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        distance = (self.embed(a) - self.embed(b)).norm(dim=-1)
        return hard_pairs(distance, labels) / labels.numel()


def build() -> nn.Module:
    return PairLoss()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    rows = [torch.rand(12, 4, generator=generator) for _ in range(2)]
    return [(*rows, torch.tensor([0, 1] * 6))]
