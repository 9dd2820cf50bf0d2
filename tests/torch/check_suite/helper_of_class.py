"""A method of the model filters its results: it runs without compiling, as one break.

Breaks under torch 2.13: 1, which stays: what runs around it is compiled fewer times.
"""

import torch
from torch import nn


class Detector(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.scores = nn.Linear(4, 3)

    def keep_best(self, boxes: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        best = boxes[torch.where(scores[:, 0] > 0.2)[0]]
        if scores.max() > 0.4:
            best = best * 2
        others = boxes[torch.where(scores[:, 1] > 0.2)[0]]
        return torch.cat([best, others])

    def forward(self, boxes: torch.Tensor) -> torch.Tensor:
        scores = self.scores(boxes).softmax(-1)
        return self.keep_best(boxes, scores) + 1


def build() -> nn.Module:
    return Detector()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.rand(10, 4, generator=generator),)]
