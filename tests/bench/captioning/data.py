"""Captions of the case study: how long they are, and the batches that they make."""

from __future__ import annotations

import random
from typing import Any

import torch
from model import IGNORED_LABEL, Block, chosen_scale

BLOCK_LINE = Block.forward.__code__.co_firstlineno
# Nine captions of ten are short, one of a hundred is an essay.
LENGTHS = ((0.90, 5, 32), (0.99, 33, 64), (1.00, 65, 256))


def caption_length(draw: random.Random) -> int:
    """Tokens of one caption."""
    point = draw.random()
    shortest, longest = next((low, high) for share, low, high in LENGTHS if point < share)
    return draw.randint(shortest, longest)


def batch_sizes(steps: int, seed: int) -> list[int]:
    """For each step the length that its batch of captions is padded to: that of the longest."""
    draw = random.Random(seed)
    batch = chosen_scale().batch
    return [max(caption_length(draw) for _ in range(batch)) for _ in range(steps)]


def call_record(longest: int) -> dict[str, Any]:
    """A step as a recorder would write it (analyzer/docs/call-records.md)."""
    scale = chosen_scale()
    told = {"dtype": "int64", "device": "cpu", "requires_grad": False}
    image = {"size": [scale.batch, 3, scale.image, scale.image], "device": "cpu"}
    tokens = {"size": [scale.batch, longest], **told}
    inputs = {"image": image, "tokens": tokens, "labels": tokens}
    return {"function": "forward", "file": "model.py", "inputs": inputs}


def block_records(longest: int) -> list[dict[str, Any]]:
    """The calls of blocks that a step makes: one of the encoder, one of the decoder; all others are alike.

    Encoder and decoder have one code object, and so one cache.
    """
    scale = chosen_scale()
    patches = {"size": [scale.batch, scale.patches, scale.width], "dtype": "float32"}
    words = {"size": [scale.batch, longest, scale.width], "dtype": "float32"}
    place = {"function": "forward", "file": "model.py", "line": BLOCK_LINE}
    return [
        {**place, "inputs": {"x": dict(patches), "memory": None}},
        {**place, "inputs": {"x": words, "memory": dict(patches)}},
    ]


def make_inputs(call: dict[str, Any]) -> dict[str, torch.Tensor]:
    """The tensors of one recorded call: random image and tokens, and labels that end where captions do.

    One caption is as long as the call says, the others as long as captions are.
    """
    scale = chosen_scale()
    batch, longest = call["inputs"]["tokens"]["size"]
    draw = random.Random(longest)
    lengths = [longest] + [min(longest, caption_length(draw)) for _ in range(batch - 1)]
    generator = torch.Generator().manual_seed(longest)
    image = torch.randn(batch, 3, scale.image, scale.image, generator=generator)
    tokens = torch.randint(scale.vocabulary, (batch, longest), generator=generator)
    ends = torch.tensor(lengths).unsqueeze(1)
    labels = torch.where(torch.arange(longest) < ends, tokens.roll(-1, dims=1), IGNORED_LABEL)
    device = call["inputs"]["tokens"].get("device", "cpu")
    tensors = {"image": image, "tokens": tokens, "labels": labels}
    return {name: tensor.to(device) for name, tensor in tensors.items()}
