"""A last set, written when the unseen models were followed: it met the rules as they are."""

from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from padding_models import CLASSES, IGNORED, VOCABULARY, WIDTH, Body, Case, Input, body
from torch import Tensor


def kept_mean(x: Tensor, mask: Tensor) -> Tensor:
    """A mean over kept positions."""
    weights = mask.to(x.dtype)[..., None]
    return torch.div((x * weights).sum(dim=1), weights.sum(dim=1).clamp_min(1.0))


def siamese(m: Body, left: Tensor, right: Tensor, left_mask: Tensor, right_mask: Tensor) -> Tensor:
    """Two texts, one encoder, a similarity."""
    a = kept_mean(torch.tanh(m.first(m.embed(left))), left_mask)
    b = kept_mean(torch.tanh(m.first(m.embed(right))), right_mask)
    return torch.cosine_similarity(a, b, dim=1)


def pointer(m: Body, x: Tensor, ids: Tensor, mask: Tensor) -> Tensor:
    """A copy distribution over the words of the source."""
    scores = torch.einsum("bsd,d->bs", m.first(x), m.scale)
    weights = scores.masked_fill(mask.logical_not(), -torch.inf).softmax(1)
    copied = torch.zeros(x.shape[0], VOCABULARY, dtype=x.dtype)
    return copied.scatter_add(1, ids, weights)


def instances(m: Body, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Gated attention over the instances of a bag."""
    gate = torch.tanh(m.first(x)) * torch.sigmoid(m.second(x))
    scores = (gate * m.scale).sum(-1)
    scores = torch.where(mask, scores, scores.new_tensor(-1e9))
    weights = torch.softmax(scores, dim=-1)
    return m.head(torch.bmm(weights.unsqueeze(1), x).squeeze(1)), weights


def columns(m: Body, ids: Tensor) -> Tensor:
    """A transformer over the columns of a table."""
    rows = torch.stack([m.embed(ids[:, column]) for column in range(4)], dim=1)
    rows = torch.cat((m.scale.expand(ids.size(0), 1, -1), rows), dim=1)
    q, k, v = torch.cat((m.first(rows), m.second(rows), m.third(rows)), -1).chunk(3, dim=-1)
    rows = m.norm(rows + F.scaled_dot_product_attention(q, k, v))
    return m.head(rows[:, 0]).log_softmax(-1)


def factors(m: Body, users: Tensor, items: Tensor, rated: Tensor, mask: Tensor) -> Tensor:
    """Matrix factorization, a loss over what is rated."""
    guess = (m.embed(users) * m.embed(items)).sum(dim=1) + m.embed.weight[:, 0][items]
    losses = F.mse_loss(guess, rated, reduction="none")
    return losses.masked_select(mask).mean()


def stacked(m: Body, x: Tensor) -> Tensor:
    """Causal convolutions with skips that are summed."""
    skips = torch.zeros_like(x)
    for step in (1, 2, 4):
        h = F.conv1d(F.pad(x, (2 * step, 0)), m.conv.weight, m.conv.bias, dilation=step)
        x = x + F.relu(h)
        skips += h
    return F.relu(skips)


def spans(m: Body, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
    """Where an answer begins and ends."""
    start, end = m.head(x)[..., :2].split(1, dim=-1)
    start, end = start.squeeze(-1), end.squeeze(-1)
    hidden = (1.0 - mask.float()) * -10000.0 * 10
    return (start + hidden).log_softmax(-1), (end + hidden).argmax(-1)


def chosen(m: Body, x: Tensor, mask: Tensor) -> Tensor:
    """The three tokens that score best."""
    scores = m.head(x)[..., 0].masked_fill(~mask, float("-inf"))
    best = scores.topk(3, dim=1).indices
    return x.gather(1, best.unsqueeze(-1).repeat(1, 1, x.shape[-1]))


def variational(m: Body, x: Tensor) -> tuple[Tensor, Tensor]:
    """Means, and how far rows are from a normal distribution."""
    mean, log_variance = m.first(x), m.second(x)
    apart = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp(), dim=1)
    return m.third(mean), apart


def biaffine(m: Body, x: Tensor, mask: Tensor) -> Tensor:
    """Heads of words."""
    weight = torch.outer(m.scale, m.norm.weight)
    scores = torch.einsum("bxi,ij,byj->bxy", m.first(x), weight, m.second(x))
    return scores.masked_fill(~mask.unsqueeze(1), -math.inf).argmax(-1)


def overlap(m: Body, x: Tensor, y: Tensor) -> Tensor:
    """How much boxes of a picture overlap with others."""
    boxes, others = x[..., :4].cumsum(-1), y[..., :4].cumsum(-1)
    corner = torch.max(boxes[:, None, :2], others[None, :, :2])
    end = torch.min(boxes[:, None, 2:], others[None, :, 2:])
    shared = (end - corner).clamp(min=0).prod(dim=-1)
    area = (boxes[:, 2:] - boxes[:, :2]).prod(-1)
    return shared / (area[:, None] + 1e-6)


def moving(m: Body, x: Tensor) -> Tensor:
    """What has changed since the step before, normalized by a running mean."""
    steps = torch.arange(1, x.size(1) + 1, dtype=x.dtype).view(1, -1, 1)
    mean = torch.cumsum(x, dim=1) / steps
    before = torch.roll(mean, shifts=1, dims=1)
    before[:, 0] = 0
    return m.norm(x - before)


def tagged(m: Body, ids: Tensor, labels: Tensor) -> tuple[Tensor, Tensor]:
    """A tagger's loss and how many tags are right."""
    logits = m.head(m.norm(m.embed(ids)))
    loss = F.cross_entropy(logits.permute(0, 2, 1), labels, ignore_index=IGNORED)
    known = labels.ne(IGNORED)
    right = logits.argmax(2).eq(labels).logical_and(known)
    return loss, right.sum() / known.sum()


def memory(m: Body, x: Tensor, slots: Tensor) -> Tensor:
    """Reads and writes of a memory of eight slots, for each row of the batch."""
    weights = torch.softmax(torch.matmul(slots, m.first(x).unsqueeze(2)).squeeze(2), dim=1)
    erased = slots * (1 - weights.unsqueeze(2) * torch.sigmoid(m.second(x)).unsqueeze(1))
    return erased + torch.einsum("bn,bd->bnd", weights, torch.tanh(m.third(x)))


X = Input("x", (2, "s", WIDTH))
ROWS = Input("x", ("s", WIDTH))
IDS = Input("ids", (2, "s"), "ids")
MASK = Input("mask", (2, "s"), "mask", 0)

LATER: tuple[Case, ...] = (
    Case(
        "siamese",
        body(siamese),
        (
            Input("left", (2, "s"), "ids"),
            Input("right", (2, "s"), "ids"),
            Input("left_mask", (2, "s"), "mask", 0),
            Input("right_mask", (2, "s"), "mask", 0),
        ),
    ),
    Case("pointer", body(pointer), (X, IDS, MASK)),
    Case("instances", body(instances), (X, MASK)),
    Case("columns-batch", body(columns), (Input("ids", ("s", 4), "ids"),)),
    Case(
        "factors",
        body(factors),
        (
            Input("users", ("s",), "ids"),
            Input("items", ("s",), "ids"),
            Input("rated", ("s",)),
            Input("mask", ("s",), "mask", 0),
        ),
    ),
    Case("stacked-causal", body(stacked), (Input("x", (2, WIDTH, "s")),)),
    Case("spans", body(spans), (X, MASK)),
    Case("chosen-tokens", body(chosen), (X, MASK)),
    Case("variational-batch", body(variational), (ROWS,)),
    Case("biaffine", body(biaffine), (X, MASK)),
    Case("overlap", body(overlap), (ROWS, Input("y", (5, WIDTH)))),
    Case("moving-mean", body(moving), (X,)),
    Case("tagged", body(tagged), (IDS, Input("labels", (2, "s"), "labels", IGNORED))),
    Case("memory-batch", body(memory), (ROWS, Input("slots", ("s", 8, WIDTH)))),
    Case("classes-mean", body(lambda m, x: m.head(x).softmax(-1).mean(1)[:, : CLASSES // 2]), (X,)),
)
