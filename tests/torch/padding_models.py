"""Small models, each with one size that varies, and how its inputs may be extended.

Nothing here knows of shapewise: what padding does to a model is found out by running it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import Tensor, nn

WIDTH = 16
VOCABULARY = 40
CLASSES = 10
IGNORED = -100


COUNTED = "counted"  # padded positions go on as those of a larger input begin
Extension = float | str


@dataclass(frozen=True)
class Input:
    """One tensor of a model's inputs."""

    name: str
    shape: tuple[int | str, ...]  # "s" and "b" stand for sizes that vary
    kind: str = "float"  # float, positive, ids, labels, mask, attention, additive, lengths, positions
    extended_with: Extension | None = None  # what a careful user writes behind the real positions

    @property
    def padded_dims(self) -> list[int]:
        """The dims that grow with the size."""
        return [dim for dim, size in enumerate(self.shape) if isinstance(size, str)]

    def sizes(self, size: int) -> list[int]:
        """The shape where "s" is `size`; "b" grows with it, more slowly."""
        return [size if part == "s" else size // 2 + 1 if part == "b" else int(part) for part in self.shape]

    def at(self, size: int, generator: torch.Generator) -> Tensor:
        """Random numbers in the shape that `size` gives."""
        shape = self.sizes(size)
        if self.kind == "ids":
            return torch.randint(0, VOCABULARY, shape, generator=generator)
        if self.kind == "labels":
            return torch.randint(0, CLASSES, shape, generator=generator)
        if self.kind == "lengths":
            return torch.randint(1, size + 1, shape, generator=generator)
        if self.kind == "mask":
            mask = torch.rand(shape, generator=generator) > 0.3
            mask[..., 0] = True
            return mask
        if self.kind == "attention":  # what tokenizers give: the last row is shorter
            attention = torch.ones(shape, dtype=torch.int64)
            attention[-1, -2:] = 0
            return attention
        if self.kind == "positions":
            return torch.arange(shape[-1]).expand(shape).clone()
        if self.kind == "additive":
            mask = torch.zeros(shape)
            mask[torch.rand(shape, generator=generator) > 0.8] = float("-inf")
            mask[..., 0] = 0
            return mask
        numbers = torch.randn(shape, generator=generator) * 2
        return numbers.abs() + 0.1 if self.kind == "positive" else numbers


@dataclass(frozen=True)
class Case:
    """A model, its inputs, and whether it is run as in training."""

    name: str
    build: Callable[[], nn.Module]
    inputs: tuple[Input, ...]
    training: bool = False
    sizes: tuple[tuple[int, int], ...] = ((6, 7), (6, 16), (10, 12))
    captures: tuple[str, ...] = field(default=("export", "compile"))


class Body(nn.Module):
    """A function with the parameters that small models need."""

    def __init__(self, function: Callable[..., object]) -> None:
        """Makes parameters for every kind of layer that a function may use."""
        super().__init__()
        self.function = function
        self.embed = nn.Embedding(VOCABULARY, WIDTH)
        self.first = nn.Linear(WIDTH, WIDTH)
        self.second = nn.Linear(WIDTH, WIDTH)
        self.third = nn.Linear(WIDTH, WIDTH)
        self.head = nn.Linear(WIDTH, CLASSES)
        self.norm = nn.LayerNorm(WIDTH)
        self.batch_norm = nn.BatchNorm1d(WIDTH)
        self.group_norm = nn.GroupNorm(4, WIDTH)
        self.conv = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
        self.valid_conv = nn.Conv1d(WIDTH, WIDTH, 3, stride=2)
        self.scale = nn.Parameter(torch.ones(WIDTH))

    def forward(self, *inputs: Tensor) -> object:
        """Calls the function with these parameters."""
        return self.function(self, *inputs)


def body(function: Callable[..., object]) -> Callable[[], nn.Module]:
    """A maker of models whose forward is `function`."""
    return lambda: Body(function)


def rms(x: Tensor, scale: Tensor) -> Tensor:
    """Root mean square norm, written out."""
    return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-6) * scale


def rotate_half(x: Tensor) -> Tensor:
    """Half of rotary embedding."""
    left, right = x.chunk(2, dim=-1)
    return torch.cat([-right, left], dim=-1)


def rotary(x: Tensor) -> Tensor:
    """Rotary embedding over dim 1."""
    positions = torch.arange(x.shape[1], dtype=torch.float32)
    frequencies = 1.0 / (100.0 ** (torch.arange(0, WIDTH, 2, dtype=torch.float32) / WIDTH))
    angles = torch.cat([positions[:, None] * frequencies[None, :]] * 2, dim=-1)
    return x * angles.cos() + rotate_half(x) * angles.sin()


def attention(m: Body, x: Tensor, mask: Tensor | None) -> Tensor:
    """Attention of one head, written out."""
    scores = m.first(x) @ m.second(x).transpose(-2, -1) / WIDTH**0.5
    if mask is not None:
        scores = scores + mask
    return scores.softmax(-1) @ m.third(x)


def heads(x: Tensor, count: int = 4) -> Tensor:
    """[B, s, D] to [B, heads, s, D / heads]."""
    return x.view(x.shape[0], x.shape[1], count, WIDTH // count).transpose(1, 2)


def merged(x: Tensor) -> Tensor:
    """The opposite of heads()."""
    return x.transpose(1, 2).reshape(x.shape[0], x.shape[2], WIDTH)


def causal_mask(x: Tensor) -> Tensor:
    """-inf above the diagonal."""
    return torch.triu(torch.full((x.shape[1], x.shape[1]), float("-inf")), diagonal=1)


def block(m: Body, x: Tensor, mask: Tensor) -> Tensor:
    """A transformer block with a mask of truth values over keys."""
    h = m.norm(x)
    q, k, v = heads(m.first(h)), heads(m.second(h)), heads(m.third(h))
    x = x + merged(F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :]))
    return x + m.second(F.gelu(m.first(m.norm(x))))


def einsum_attention(m: Body, x: Tensor) -> Tensor:
    """Attention without a mask as Einstein sums."""
    scores = torch.einsum("bid,bjd->bij", m.first(x), m.second(x))
    return torch.einsum("bij,bjd->bid", scores.softmax(-1), x)


def grouped_queries(m: Body, x: Tensor) -> Tensor:
    """Causal attention whose heads share keys."""
    q = heads(m.first(x))
    k = heads(m.second(x))[:, :2].repeat_interleave(2, dim=1)
    v = heads(m.third(x))[:, :2].repeat_interleave(2, dim=1)
    return merged(F.scaled_dot_product_attention(q, k, v, is_causal=True))


def masked_mean(x: Tensor, mask: Tensor) -> Tensor:
    """Mean over the positions that a mask keeps."""
    kept = mask.unsqueeze(-1).to(x.dtype)
    return (x * kept).sum(1) / kept.sum(1).clamp(min=1.0)


def lengths_mean(x: Tensor, lengths: Tensor) -> Tensor:
    """Mean over the first positions of each row."""
    mask = torch.arange(x.shape[1])[None, :] < lengths[:, None]
    return (x * mask[..., None]).sum(1) / lengths[:, None]


def hand_loss(logits: Tensor, labels: Tensor) -> Tensor:
    """Cross entropy, written out with a mask."""
    kept = labels != IGNORED
    safe = torch.where(kept, labels, torch.zeros_like(labels))
    picked = logits.log_softmax(-1).gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    return -(picked * kept).sum() / kept.sum()


X = Input("x", (2, "s", WIDTH))
FLAT = Input("x", ("s", WIDTH))
CHANNELS_LAST = Input("x", (2, WIDTH, "s"))
BATCH = Input("x", ("s", 4, WIDTH))
IDS = Input("ids", (2, "s"), "ids")
MASK = Input("mask", (2, "s"), "mask", 0)
INT_MASK = Input("mask", (2, "s"), "mask", 0)
ADDITIVE = Input("mask", (2, 1, "s"), "additive", float("-inf"))
LABELS = Input("labels", (2, "s"), "labels", IGNORED)
LOW_X = Input("x", (2, "s", WIDTH), "float", float("-inf"))
ZERO_X = Input("x", (2, "s", WIDTH), "float", 0)

CASES: tuple[Case, ...] = (
    # rows by themselves
    Case("mlp", body(lambda m, x: m.second(F.relu(m.first(x)))), (X,)),
    Case("mlp-flat", body(lambda m, x: m.second(F.gelu(m.first(x)))), (FLAT,)),
    Case("swiglu", body(lambda m, x: m.third(F.silu(m.first(x)) * m.second(x))), (X,)),
    Case("layer-norm", body(lambda m, x: m.norm(x)), (X,)),
    Case("rms-norm", body(lambda m, x: rms(x, m.scale)), (X,)),
    Case("rms-norm-op", body(lambda m, x: F.rms_norm(x, (WIDTH,), m.scale)), (X,)),
    Case("row-softmax", body(lambda m, x: m.head(x).log_softmax(-1)), (X,)),
    Case("row-argmax", body(lambda m, x: m.head(x).argmax(-1)), (X,)),
    Case("row-topk", body(lambda m, x: m.head(x).topk(3, dim=-1)[0]), (X,)),
    Case("row-statistics", body(lambda m, x: (x.mean(-1), x.var(-1), x.amax(-1), x.norm(dim=-1))), (X,)),
    Case("fold-rows", body(lambda m, x: m.first(x.view(-1, WIDTH)).view(x.shape[0], -1, WIDTH)), (X,)),
    Case("fold-batch", body(lambda m, x: m.first(x.reshape(-1, WIDTH)).reshape(-1, 4, WIDTH)), (BATCH,)),
    Case("embedding", body(lambda m, ids: m.norm(m.embed(ids))), (IDS,)),
    Case("position-embedding", body(lambda m, ids: m.embed(ids) + m.embed(torch.arange(ids.shape[1]))), (IDS,)),
    Case("one-hot", body(lambda m, ids: F.one_hot(ids, VOCABULARY).float() @ m.embed.weight), (IDS,)),
    Case("rotary", body(lambda m, x: rotary(x)), (X,)),
    Case("normalize", body(lambda m, x: F.normalize(m.first(x), dim=-1)), (X,)),
    Case("l2-by-hand", body(lambda m, x: x / x.norm(dim=-1, keepdim=True).clamp(min=1e-6)), (X,)),
    Case("split-heads", body(lambda m, x: merged(heads(m.first(x)).tanh())), (X,)),
    Case(
        "gather-classes",
        body(lambda m, x, labels: m.head(x).gather(-1, labels.unsqueeze(-1))),
        (X, Input("labels", (2, "s"), "labels")),
    ),
    Case("batch-norm-eval", body(lambda m, x: m.batch_norm(x)), (FLAT,)),
    Case("first-position", body(lambda m, x: m.head(x[:, 0])), (X,)),
    Case("first-positions", body(lambda m, x: m.head(x[:, :4]).mean(1)), (X,)),
    Case("drop-first", body(lambda m, x: x[:, 1:] * 2), (X,)),
    Case("shifted-difference", body(lambda m, x: x[:, 1:] - x[:, :-1]), (X,)),
    Case("prefix-token", body(lambda m, x: torch.cat([m.scale.expand(2, 1, WIDTH), x], 1)), (X,)),
    Case("cumsum", body(lambda m, x: x.cumsum(1)), (X,)),
    Case("valid-conv", body(lambda m, x: m.valid_conv(x)), (CHANNELS_LAST,)),
    Case("max-pool", body(lambda m, x: F.max_pool1d(x, 2)), (CHANNELS_LAST,)),
    Case("average-pool", body(lambda m, x: F.avg_pool1d(x, 2)), (CHANNELS_LAST,)),
    Case(
        "patches", body(lambda m, x: m.first(x.reshape(2, -1, 2 * WIDTH)[..., :WIDTH])), (X,), sizes=((6, 8), (6, 16))
    ),
    Case("outer-positions", body(lambda m, x: m.first(x) @ m.second(x).transpose(1, 2)), (X,)),
    # the batch grows
    Case("batch-attention", body(lambda m, x: attention(m, x, None)), (BATCH,)),
    Case("batch-mlp-mean", body(lambda m, x: m.head(x.mean(1))), (BATCH,)),
    Case("batch-norm-training", body(lambda m, x: m.batch_norm(x)), (FLAT,), training=True),
    Case(
        "batch-loss",
        body(lambda m, x, labels: F.cross_entropy(m.head(x), labels)),
        (FLAT, Input("labels", ("s",), "labels", IGNORED)),
    ),
    Case("batch-mse", body(lambda m, x, y: F.mse_loss(m.first(x), y)), (FLAT, Input("y", ("s", WIDTH)))),
    Case("batch-cnn", body(lambda m, x: m.head(F.relu(m.conv(x)).mean(-1))), (Input("x", ("s", WIDTH, 8)),)),
    Case("batch-group-norm", body(lambda m, x: m.group_norm(x)), (Input("x", ("s", WIDTH, 8)),)),
    # attention
    Case("attention", body(lambda m, x: attention(m, x, None)), (X,)),
    Case("attention-causal", body(lambda m, x: attention(m, x, causal_mask(x))), (X,)),
    Case("attention-additive", body(attention), (X, ADDITIVE)),
    Case(
        "attention-masked-fill",
        body(lambda m, x, mask: attention(m, x, torch.zeros(1).masked_fill(~mask[:, None, :], -1e9))),
        (X, MASK),
    ),
    Case(
        "attention-int-mask",
        body(lambda m, x, mask: attention(m, x, (1.0 - mask.float())[:, None, :] * -10000.0)),
        (X, INT_MASK),
    ),
    Case(
        "attention-index-causal",
        body(
            lambda m, x: attention(
                m,
                x,
                torch.where(torch.arange(x.shape[1])[:, None] >= torch.arange(x.shape[1])[None, :], 0.0, float("-inf")),
            )
        ),
        (X,),
    ),
    Case("sdpa", body(lambda m, x: merged(F.scaled_dot_product_attention(*[heads(m.first(x))] * 3))), (X,)),
    Case("sdpa-causal", body(grouped_queries), (X,)),
    Case("sdpa-mask", body(block), (X, MASK)),
    Case("sdpa-two-blocks", body(lambda m, x, mask: block(m, block(m, x, mask), mask)), (X, MASK)),
    Case("einsum-attention", body(einsum_attention), (X,)),
    Case(
        "cross-attention",
        body(lambda m, x, y: (m.first(y) @ m.second(x).transpose(1, 2)).softmax(-1) @ x),
        (X, Input("y", (2, 5, WIDTH))),
    ),
    Case(
        "cross-queries",
        body(lambda m, x, y: (m.first(x) @ m.second(y).transpose(1, 2)).softmax(-1) @ y),
        (X, Input("y", (2, 5, WIDTH))),
    ),
    Case(
        "cache",
        body(lambda m, x, y: attention(m, torch.cat([y, x], 1), causal_mask(torch.cat([y, x], 1)))),
        (X, Input("y", (2, 3, WIDTH))),
    ),
    Case(
        "cache-behind", body(lambda m, x, y: attention(m, torch.cat([x, y], 1), None)), (X, Input("y", (2, 1, WIDTH)))
    ),
    Case(
        "bert-loss",
        body(lambda m, x, mask, labels: F.cross_entropy(m.head(block(m, x, mask)).view(-1, CLASSES), labels.view(-1))),
        (X, MASK, LABELS),
    ),
    Case("token-classifier", body(lambda m, ids, mask: m.head(block(m, m.embed(ids), mask)).softmax(-1)), (IDS, MASK)),
    # reductions over what grows
    Case("mean", body(lambda m, x: m.head(x.mean(1))), (X,)),
    Case("sum", body(lambda m, x: m.head(x.sum(1))), (ZERO_X,)),
    Case("max", body(lambda m, x: m.head(x.amax(1))), (LOW_X,)),
    Case("relu-max", body(lambda m, x, mask: (F.relu(x) * mask[..., None]).amax(1)), (X, MASK)),
    Case("masked-mean", body(lambda m, x, mask: m.head(masked_mean(x, mask))), (X, MASK)),
    Case(
        "masked-fill-mean",
        body(lambda m, x, mask: x.masked_fill(~mask[..., None], 0).sum(1) / mask.sum(1, keepdim=True)),
        (X, MASK),
    ),
    Case("masked-max", body(lambda m, x, mask: x.masked_fill(~mask[..., None], float("-inf")).max(1)[0]), (X, MASK)),
    Case("masked-argmax", body(lambda m, x, mask: x.sum(-1).masked_fill(~mask, float("-inf")).argmax(1)), (X, MASK)),
    Case("masked-topk", body(lambda m, x, mask: x.sum(-1).masked_fill(~mask, -1e9).topk(2, dim=1)[0]), (X, MASK)),
    Case(
        "masked-logsumexp",
        body(lambda m, x, mask: x.masked_fill(~mask[..., None], float("-inf")).logsumexp(1)),
        (X, MASK),
    ),
    Case("lengths-mean", body(lambda m, x, lengths: lengths_mean(x, lengths)), (X, Input("lengths", (2,), "lengths"))),
    Case(
        "last-by-length",
        body(lambda m, x, lengths: x[torch.arange(2), lengths - 1]),
        (X, Input("lengths", (2,), "lengths")),
    ),
    Case("divide-by-size", body(lambda m, x: m.head(x.sum(1) / x.shape[1])), (X,)),
    Case("scale-by-size", body(lambda m, x: x / x.shape[1] ** 0.5), (X,)),
    Case("last-position", body(lambda m, x: m.head(x[:, -1])), (X,)),
    Case("flip", body(lambda m, x: x.flip(1)), (X,)),
    Case("roll", body(lambda m, x: x.roll(1, 1)), (X,)),
    Case("sort", body(lambda m, x: x.sum(-1).sort(dim=1)[0]), (X,)),
    Case("argmax", body(lambda m, x: x.sum(-1).argmax(1)), (LOW_X,)),
    Case("std", body(lambda m, x: x.std(1)), (X,)),
    Case("softmax-positions", body(lambda m, x: x.softmax(1)), (LOW_X,)),
    Case("linear-attention", body(lambda m, x: m.first(x) @ (m.second(x).transpose(1, 2) @ x)), (ZERO_X,)),
    Case("gram", body(lambda m, x: x.transpose(1, 2) @ x), (ZERO_X,)),
    Case("same-conv", body(lambda m, x: m.conv(x)), (Input("x", (2, WIDTH, "s"), "float", 0),)),
    Case("two-convs", body(lambda m, x: m.conv(F.relu(m.conv(x)))), (CHANNELS_LAST,)),
    Case("group-norm", body(lambda m, x: m.group_norm(x)), (CHANNELS_LAST,)),
    Case("adaptive-pool", body(lambda m, x: F.adaptive_avg_pool1d(x, 2)), (CHANNELS_LAST,)),
    Case("repeat", body(lambda m, x: x.repeat(1, 2, 1)), (X,)),
    Case("repeat-interleave", body(lambda m, x: x.repeat_interleave(2, dim=1)), (X,)),
    Case("flatten-output", body(lambda m, x: m.head(x).view(-1, CLASSES)), (X,)),
    Case("flatten-flat", body(lambda m, x: m.head(x).view(-1)), (FLAT,)),
    Case(
        "index-add",
        body(lambda m, x, labels: torch.zeros(CLASSES, WIDTH).index_add(0, labels, x)),
        (Input("x", ("s", WIDTH), "float", 0), Input("labels", ("s",), "labels")),
    ),
    Case("dropout-training", body(lambda m, x: F.dropout(x, 0.5, training=True)), (X,), training=True),
    Case("noise", body(lambda m, x: x + torch.randn_like(x)), (X,)),
    # losses
    Case(
        "loss-tokens",
        body(lambda m, x, labels: F.cross_entropy(m.head(x).view(-1, CLASSES), labels.view(-1))),
        (X, LABELS),
    ),
    Case(
        "loss-shifted",
        body(lambda m, x, labels: F.cross_entropy(m.head(x)[:, :-1].reshape(-1, CLASSES), labels[:, 1:].reshape(-1))),
        (X, LABELS),
    ),
    Case(
        "loss-sum",
        body(lambda m, x, labels: F.cross_entropy(m.head(x).transpose(1, 2), labels, reduction="sum")),
        (X, LABELS),
    ),
    Case("loss-by-hand", body(lambda m, x, labels: hand_loss(m.head(x), labels)), (X, LABELS)),
    Case(
        "loss-masked-mse",
        body(lambda m, x, y, mask: ((m.first(x) - y).square() * mask[..., None]).sum() / mask.sum()),
        (X, Input("y", (2, "s", WIDTH)), MASK),
    ),
    Case("loss-mse", body(lambda m, x, y: F.mse_loss(m.first(x), y)), (X, Input("y", (2, "s", WIDTH)))),
)
