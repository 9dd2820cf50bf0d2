"""The training step of the case study: a vision transformer reads an image, a decoder writes its caption.

Written for this study, with PyTorch alone: encoder and decoder start from random weights. The decoder is causal and the loss passes over
padded positions, so padding a batch of captions further changes no result; only the caption length varies from step to step.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

IGNORED_LABEL = -100


@dataclass(frozen=True)
class Scale:
    """Sizes of one variant of the study."""

    image: int
    patch: int
    width: int
    heads: int
    encoder_layers: int
    decoder_layers: int
    vocabulary: int
    longest_caption: int
    batch: int

    @property
    def patches(self) -> int:
        """Positions of an image."""
        return (self.image // self.patch) ** 2


SCALES = {
    "small": Scale(32, 8, 64, 4, 1, 1, 4096, 256, 16),
    # As wide as the full one, a third as deep: steps of the same kind, compiled in a third of the time.
    "shallow": Scale(224, 16, 768, 12, 4, 4, 50257, 256, 64),
    "full": Scale(224, 16, 768, 12, 12, 12, 50257, 256, 64),
}


def chosen_scale() -> Scale:
    """The scale that the environment names (SHAPEWISE_CAPTIONING_SCALE), by default the small one."""
    return SCALES[os.environ.get("SHAPEWISE_CAPTIONING_SCALE", "small")]


class Attention(nn.Module):
    """Multi-head attention of `x` over itself or over `memory`; shapes (batch, positions, width)."""

    def __init__(self, width: int, heads: int, *, causal: bool = False) -> None:
        super().__init__()
        self.heads = heads
        self.causal = causal
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        batch, positions, width = x.shape
        query = self.query(x).view(batch, positions, self.heads, -1).transpose(1, 2)
        key_value = self.key_value(memory).view(batch, memory.shape[1], 2, self.heads, -1)
        key, value = key_value.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=self.causal)
        return self.output(mixed.transpose(1, 2).reshape(batch, positions, width))


class Block(nn.Module):
    """A transformer block; a decoder's looks at the image, too."""

    def __init__(self, width: int, heads: int, *, decoder: bool) -> None:
        super().__init__()
        self.own_norm = nn.LayerNorm(width)
        self.own = Attention(width, heads, causal=decoder)
        self.cross_norm = nn.LayerNorm(width) if decoder else None
        self.cross = Attention(width, heads) if decoder else None
        self.norm = nn.LayerNorm(width)
        self.feed_forward = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Tensor, memory: Tensor | None = None) -> Tensor:
        normed = self.own_norm(x)
        x = x + self.own(normed, normed)
        if self.cross is not None and self.cross_norm is not None and memory is not None:
            x = x + self.cross(self.cross_norm(x), memory)
        return x + self.feed_forward(self.norm(x))


class Captioner(nn.Module):
    """Image and caption in, loss out."""

    def __init__(self, scale: Scale) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, scale.width, scale.patch, scale.patch)
        self.patch_positions = nn.Parameter(torch.randn(1, scale.patches, scale.width) * 0.02)
        self.encoder = nn.ModuleList(
            Block(scale.width, scale.heads, decoder=False) for _ in range(scale.encoder_layers)
        )
        self.tokens = nn.Embedding(scale.vocabulary, scale.width)
        self.token_positions = nn.Embedding(scale.longest_caption, scale.width)
        self.decoder = nn.ModuleList(
            Block(scale.width, scale.heads, decoder=True) for _ in range(scale.decoder_layers)
        )
        self.norm = nn.LayerNorm(scale.width)
        for embedding in (self.tokens, self.token_positions):
            nn.init.normal_(embedding.weight, std=0.02)

    def forward(self, image: Tensor, tokens: Tensor, labels: Tensor) -> Tensor:
        """Mean loss over labels other than IGNORED_LABEL; image (B, 3, H, W), tokens and labels (B, S).

        A GPU computes in bfloat16, as it would for training: with TF32 matrix products take nearly all of a step, which no policy changes.
        """
        with torch.autocast(image.device.type, torch.bfloat16, enabled=image.is_cuda):
            return self.loss(image, tokens, labels)

    def loss(self, image: Tensor, tokens: Tensor, labels: Tensor) -> Tensor:
        """The same in the precision of the caller."""
        memory = self.patches(image).flatten(2).transpose(1, 2) + self.patch_positions
        for block in self.encoder:
            memory = block(memory)
        positions = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.tokens(tokens) + self.token_positions(positions)
        for block in self.decoder:
            x = block(x, memory)
        logits = functional.linear(self.norm(x), self.tokens.weight)
        return functional.cross_entropy(logits.flatten(0, 1).float(), labels.flatten(), ignore_index=IGNORED_LABEL)


def build() -> nn.Module:
    """The model of the chosen scale, with the same random weights every time."""
    torch.manual_seed(0)
    return Captioner(chosen_scale())
