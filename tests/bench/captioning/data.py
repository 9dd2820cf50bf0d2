"""Captions of the case study: how long they are, and the batches that they make."""

from __future__ import annotations

import random
from typing import Any

import torch
from model import IGNORED_LABEL, chosen_scale

# Nine captions of ten are short, one of a hundred is an essay.
LENGTHS = ((0.90, 5, 32), (0.99, 33, 64), (1.00, 65, 256))


def caption_length(draw: random.Random) -> int:
    """Tokens of one caption."""
    point = draw.random()
    shortest, longest = next((low, high) for share, low, high in LENGTHS if point < share)
    return draw.randint(shortest, longest)


def batch_lengths(steps: int, seed: int) -> list[list[int]]:
    """For each step the lengths of its captions; the batch is padded to the longest of them."""
    draw = random.Random(seed)
    return [[caption_length(draw) for _ in range(chosen_scale().batch)] for _ in range(steps)]


def make_inputs(call: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The tensors of one recorded call: random image and tokens, labels that end where each caption does."""
    scale = chosen_scale()
    batch, longest = call["inputs"]["tokens"]["size"]
    lengths = call.get("caption_lengths") or [longest] * batch
    generator = torch.Generator().manual_seed(longest * 1000 + sum(lengths))
    image = torch.randn(batch, 3, scale.image, scale.image, generator=generator)
    tokens = torch.randint(scale.vocabulary, (batch, longest), generator=generator)
    ends = torch.tensor(lengths).unsqueeze(1)
    labels = torch.where(torch.arange(longest) < ends, tokens.roll(-1, dims=1), IGNORED_LABEL)
    return {"image": image, "tokens": tokens, "labels": labels}
