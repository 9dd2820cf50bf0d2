"""Models for single rules: what each operator keeps apart, and where it lets padding in."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from padding_models import IGNORED, VOCABULARY, WIDTH, Body, Case, Input
from torch import Tensor, nn


class Single(Body):
    """Body with the layers of these operators."""

    def __init__(self, function: Callable[..., object]) -> None:
        """Makes the layers."""
        super().__init__(function)
        self.bag_sum = nn.EmbeddingBag(VOCABULARY, WIDTH, mode="sum", padding_idx=0)
        self.bag_mean = nn.EmbeddingBag(VOCABULARY, WIDTH, mode="mean")
        self.overlapping = nn.ConvTranspose1d(WIDTH, WIDTH, 3, stride=2, padding=1, output_padding=1)
        self.dense = nn.ConvTranspose1d(WIDTH, WIDTH, 3, stride=3, groups=2)
        self.both_ways = nn.GRU(WIDTH, WIDTH, bidirectional=True)


def single(function: Callable[..., object]) -> Callable[[], nn.Module]:
    """A maker of models whose forward is `function`."""
    return lambda: Single(function)


def written(x: Tensor, index: object, value: object) -> Tensor:
    """A copy in which a part is written over."""
    rows = x.clone()
    rows[index] = value
    return rows


def chained(x: Tensor) -> Tensor:
    """Writes whose results are the tensor itself, and a look at it under its first name."""
    rows = x.clone()
    same = rows.add_(1.0)
    same.mul_(rows.mean(1, keepdim=True))
    return rows + 0


def halves(x: Tensor) -> Tensor:
    """Parts of a dim that grows, put together again."""
    first, second = x.chunk(2, dim=1)
    return torch.cat([first * 2, second * 2], dim=1)


X = Input("x", (2, "s", WIDTH))
Y = Input("y", (2, "s", WIDTH))
EVEN = ((6, 8), (10, 12))
ALL = slice(None)
IDS = Input("ids", (2, "s"), "ids")
MASK = Input("mask", (2, "s"), "mask", 0)
FLAT = Input("ids", ("s",), "ids")
CHANNELS = Input("x", (2, WIDTH, "s"))
ZEROS = Input("x", (2, WIDTH, "s"), "float", 0)
BATCH = Input("x", ("s", 5, WIDTH))

SINGLE: tuple[Case, ...] = (
    Case("glu-along", single(lambda m, x: F.glu(x, 1)), (X,), sizes=EVEN),
    Case("glu-features", single(lambda m, x, k: F.glu(x * k[..., None], -1).sum(1)), (X, MASK)),
    Case("diff-twice", single(lambda m, x: torch.diff(x, n=2, dim=1)), (X,)),
    Case("diff-sum", single(lambda m, x: torch.diff(x, dim=1).sum(1)), (Input("x", (2, "s", WIDTH), "float", 0),)),
    Case("diff-batch", single(lambda m, x: torch.diff(x)), (BATCH,)),
    Case("cdist-sum", single(lambda m, x, y: torch.cdist(x, y).sum(-1)), (X, Y)),
    Case("cdist-features", single(lambda m, x: torch.cdist(x.mT, x.mT)), (X,)),
    Case("bag-padding-index", single(lambda m, ids: m.bag_sum(ids)), (Input("ids", (2, "s"), "ids", 0),)),
    Case("bag-mean", single(lambda m, ids: m.bag_mean(ids)), (IDS,)),
    Case("bag-offsets", single(lambda m, ids: m.bag_mean(ids, torch.tensor([0, 2]))), (FLAT,)),
    Case(
        "bag-last-offset",
        single(lambda m, ids: F.embedding_bag(ids, m.embed.weight, torch.tensor([0, 2, 5]), include_last_offset=True)),
        (FLAT,),
    ),
    Case("split-sections", single(lambda m, x: x.split([2, x.shape[1] - 2], 1)[1]), (X,)),
    Case("split-end", single(lambda m, x: x.split([x.shape[1] - 2, 2], 1)[1]), (X,)),
    Case("tensor-split", single(lambda m, x: torch.tensor_split(x, (2,), dim=1)[1] + 1), (X,)),
    Case("tensor-split-mean", single(lambda m, x: torch.tensor_split(x, (2,), dim=1)[1].mean(1)), (X,)),
    Case("chunk-second", single(lambda m, x: x.chunk(2, dim=1)[1]), (X,), sizes=EVEN),
    Case("chunk-joined", single(lambda m, x: halves(x)), (X,), sizes=EVEN),
    Case("chunk-first-sum", single(lambda m, x: x.chunk(2, dim=1)[0].sum(1)), (X,), sizes=EVEN),
    Case("transposed-overlap", single(lambda m, x: m.overlapping(x)), (ZEROS,)),
    Case("transposed-groups", single(lambda m, x: m.dense(x)), (CHANNELS,)),
    Case("transposed-sum", single(lambda m, x: m.dense(x).sum(-1)), (CHANNELS,)),
    Case("interpolate-linear", single(lambda m, x: F.interpolate(x, scale_factor=2, mode="linear")), (CHANNELS,)),
    Case("interpolate-size", single(lambda m, x: F.interpolate(x, size=8)), (CHANNELS,)),
    Case(
        "unshuffle",
        single(lambda m, x: F.pixel_unshuffle(x[:, :, None].expand(-1, -1, 4, -1), 2)),
        (CHANNELS,),
        sizes=EVEN,
    ),
    Case("gru-both-ways", single(lambda m, x: m.both_ways(x.transpose(0, 1))[0]), (BATCH,), captures=("export",)),
    Case(
        "kl-batch-mean",
        single(lambda m, x, y, k: F.kl_div(x.log_softmax(-1), y.softmax(-1) * k[..., None], reduction="batchmean")),
        (X, Y, MASK),
    ),
    Case(
        "kl-batch-mean-rows",
        single(lambda m, x, y, k: F.kl_div(x.log_softmax(-1), y.softmax(-1) * k[:, None], reduction="batchmean")),
        (Input("x", ("s", WIDTH)), Input("y", ("s", WIDTH)), Input("mask", ("s",), "mask", 0)),
    ),
    Case("mse-sum", single(lambda m, x, y: F.mse_loss(x, y, reduction="sum")), (X, Y)),
    Case(
        "mse-sum-zero",
        single(lambda m, x, y, k: F.mse_loss(x * k[..., None], y * k[..., None], reduction="sum") / k.sum()),
        (X, Y, MASK),
    ),
    Case(
        "mse-mean-zero",
        single(lambda m, x, y, k: F.mse_loss(x * k[..., None], y * k[..., None])),
        (X, Y, MASK),
    ),
    Case(
        "bce-sum-zero",
        single(
            lambda m, x, y, k: F.binary_cross_entropy_with_logits(x * k[..., None], y * k[..., None], reduction="sum")
        ),
        (X, Y, MASK),
    ),
    Case(
        "bce-weight",
        single(
            lambda m, x, y, k: F.binary_cross_entropy_with_logits(x, y, weight=k[..., None].float(), reduction="sum")
        ),
        (X, Y, MASK),
    ),
    Case(
        "cross-entropy-kept",
        single(lambda m, x, t, k: (F.cross_entropy(m.head(x).mT, t, reduction="none") * k).sum() / k.sum()),
        (X, Input("labels", (2, "s"), "labels", IGNORED), MASK),
    ),
    Case("write-first", single(lambda m, x: written(x, (ALL, 0), 0.0)), (X,)),
    Case("write-last", single(lambda m, x: written(x, (ALL, -1), 0.0)), (X,)),
    Case("write-to-end", single(lambda m, x: written(x, (ALL, slice(None, -1)), x[:, 1:])), (X,)),
    Case("write-rest", single(lambda m, x: written(x, (ALL, slice(1, None)), x[:, :-1])), (X,)),
    Case("write-rest-sum", single(lambda m, x: written(x, (ALL, slice(1, None)), 0.0).sum(1)), (X,)),
    Case("write-features", single(lambda m, x: written(x, (..., slice(0, 4)), 1.0)), (X,)),
    Case("write-where", single(lambda m, x, k: written(x, ~k, 0.0).sum(1)), (X, MASK)),
    Case("write-chained", single(lambda m, x: chained(x)), (X,)),
    Case("attribute", single(lambda m, x: x.mT.mT), (X,)),
    Case("whole-size", single(lambda m, x: x + torch.zeros(x.size()).expand(x.size())), (X,)),
)
