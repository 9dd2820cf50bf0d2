"""Small models for the native replay: each with inputs at three sizes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class ReplayModel:
    """A model, and what it is called with at a size."""

    name: str
    make: Callable[[], nn.Module]
    inputs: Callable[[int], tuple[Tensor, ...]]
    sizes: tuple[int, ...] = (5, 12, 31)
    trains: bool = False  # captured with its backward graph as well


class Wrapped(nn.Module):
    """A function of tensors as a module."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *tensors: Tensor) -> object:
        return self.function(*tensors)


class Mlp(nn.Module):
    """Layers, a norm, a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Linear(16, 32)
        self.outer = nn.Linear(32, 16)
        self.norm = nn.LayerNorm(16)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x + self.outer(F.gelu(self.inner(x))))


class Transformer(nn.Module):
    """Two layers with causal attention over embedded ids."""

    def __init__(self) -> None:
        super().__init__()
        self.words = nn.Embedding(50, 32)
        self.places = nn.Embedding(64, 32)
        self.qkv = nn.ModuleList(nn.Linear(32, 96) for _ in range(2))
        self.mlp = nn.ModuleList(nn.Linear(32, 32) for _ in range(2))
        self.norms = nn.ModuleList(nn.LayerNorm(32) for _ in range(2))
        self.head = nn.Linear(32, 50, bias=False)

    def forward(self, ids: Tensor) -> Tensor:
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for qkv, mlp, norm in zip(self.qkv, self.mlp, self.norms, strict=True):
            q, k, v = (
                part.view(x.shape[0], x.shape[1], 4, 8).transpose(1, 2) for part in qkv(norm(x)).chunk(3, dim=-1)
            )
            attended = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + attended.transpose(1, 2).reshape(x.shape)
            x = x + F.silu(mlp(x))
        return self.head(x)


class Convolutions(nn.Module):
    """A small image classifier."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.Conv2d(8, 16, 3, stride=2)
        self.head = nn.Linear(16, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.max_pool2d(F.relu(self.norm(self.first(x))), 2)
        x = F.adaptive_avg_pool2d(F.leaky_relu(self.second(x)), 1)
        return F.log_softmax(self.head(x.flatten(1)), dim=-1)


class Attention(nn.Module):
    """torch's own attention, with a mask of padding."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
        attended, weights = self.attention(x, x, x, key_padding_mask=~kept)
        return attended, weights


class Rotary(nn.Module):
    """Rotary positions and an RMS norm."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = nn.Parameter(torch.ones(16))

    def forward(self, x: Tensor) -> Tensor:
        positions = torch.arange(x.shape[1], dtype=torch.float32, device=x.device)
        angles = positions[:, None] / 100 ** (torch.arange(8, device=x.device) / 8.0)
        cos, sin = angles.cos(), angles.sin()
        a, b = x[..., :8], x[..., 8:]
        turned = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)
        return turned * torch.rsqrt(turned.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale


class Experts(nn.Module):
    """A choice of two experts by their scores."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = nn.Linear(16, 4)
        self.experts = nn.Parameter(torch.randn(4, 16, 16) / 4)

    def forward(self, x: Tensor) -> Tensor:
        weights, chosen = torch.topk(F.softmax(self.gate(x), dim=-1), 2, dim=-1)
        every = torch.einsum("td,edf->tef", x, self.experts)
        picked = torch.gather(every, 1, chosen.unsqueeze(-1).expand(-1, -1, 16))
        return (picked * weights.unsqueeze(-1)).sum(1)


def write_into(x: Tensor) -> Tensor:
    """Statements that write into a tensor."""
    y = torch.zeros_like(x)
    y[:, 0] = x[:, 1]
    y[..., 2:] += 1
    y[x > 0] = 2.0
    return y.masked_fill(y == 2, float("-inf")).clamp(min=-5)


def reductions(x: Tensor) -> tuple[Tensor, ...]:
    """Reductions of every kind."""
    return (
        x.sum(0),
        x.mean(1, keepdim=True),
        x.var(1),
        x.amax(0),
        x.argmax(1),
        x.std(dim=0, unbiased=False),
        x.logsumexp(1),
        x.cumsum(0),
        x.norm(dim=1),
        F.normalize(x, dim=-1),
        torch.sort(x, dim=0).values,
        x.median(0).values,
    )


def losses(x: Tensor, target: Tensor) -> tuple[Tensor, ...]:
    """Losses with all reductions."""
    other = x.tanh()
    return (
        F.cross_entropy(x, target),
        F.cross_entropy(x, target, reduction="sum", label_smoothing=0.1),
        F.nll_loss(F.log_softmax(x, 1), target, ignore_index=1),
        F.mse_loss(x, other),
        F.smooth_l1_loss(x, other, reduction="none"),
        F.huber_loss(x, other, delta=0.5),
        F.binary_cross_entropy_with_logits(x, (other > 0).float()),
        F.kl_div(F.log_softmax(x, 1), F.softmax(other, 1), reduction="batchmean"),
        F.cosine_similarity(x, other, dim=1),
    )


def shapes(x: Tensor) -> tuple[Tensor, ...]:
    """Shapes and sizes that are computed."""
    n = x.shape[0]
    return (
        x.reshape(n * 2, -1),
        x.unfold(1, 4, 2),
        x.repeat(2, 1),
        torch.stack([x, x], 1).flatten(0, 1),
        torch.arange(n) * 2 + n // 2,
        x.new_full((n, 2), 3.0),
        torch.cat([x, x.flip(0)], dim=0)[: n + 1],
        x.roll(1, 0),
        F.pad(x, (1, 2)),
        x[:, None, ::2].expand(-1, 3, -1),
        x.tril(1)[:, [0, 2]],
        (1 - x) / (2 + x.abs()) ** 2,
        2 / (x.abs() + 1),
        *x.split([4, 12], dim=1),
    )


def images(x: Tensor) -> tuple[Tensor, ...]:
    """Interpolation, sampling, windows."""
    rows, columns = (torch.linspace(-1, 1, count, device=x.device) for count in (5, 4))
    grid = torch.stack(torch.meshgrid(rows, columns, indexing="ij"), -1)
    return (
        F.interpolate(x, scale_factor=2),
        F.interpolate(x, size=(7, 9), mode="bilinear", align_corners=False),
        F.grid_sample(x, grid.expand(x.shape[0], -1, -1, -1), align_corners=True),
        F.unfold(x, 3, padding=1),
        F.avg_pool2d(x, 2),
        F.pixel_shuffle(x, 2),
        F.group_norm(x, 2),
        F.instance_norm(x),
    )


def dtypes(x: Tensor, ids: Tensor) -> tuple[Tensor, ...]:
    """Conversions between dtypes."""
    return (
        x.half().float(),
        x.to(torch.float64).type_as(x),
        ids.float() + x[:, 0],
        F.one_hot(ids, 10).to(x.dtype) @ x.new_ones(10, 3),
        (ids % 3 == 0) & (x[:, 1] > 0),
        torch.where(ids > 2, x[:, 0], 0.0),
        ids.bool().long(),
        x.bfloat16() * 2,
    )


def activations(x: Tensor) -> tuple[Tensor, ...]:
    """Activations, some of them in place."""
    return (
        F.silu(x),
        F.elu(x.clone(), inplace=True),
        F.hardtanh(x),
        F.hardswish(x),
        F.mish(x),
        F.softplus(x),
        F.softsign(x),
        F.glu(x),
        F.leaky_relu(x, 0.2),
        F.dropout(x, 0.3, training=False),
        F.gelu(x, approximate="tanh"),
        F.threshold(x, 0.1, 2.0),
        F.rrelu(x),
        F.logsigmoid(x),
    )


class Recurrent(nn.Module):
    """A GRU over time and a bag of embeddings."""

    def __init__(self) -> None:
        super().__init__()
        self.bag = nn.EmbeddingBag(20, 8, mode="mean")
        self.gru = nn.GRUCell(8, 8)

    def forward(self, ids: Tensor) -> Tensor:
        bag = self.bag(ids)
        return self.gru(bag, torch.tanh(bag))


def floats(*shape: int) -> Tensor:
    """Ordinary numbers."""
    return torch.randn(*shape)


MODELS = [
    ReplayModel("mlp", Mlp, lambda n: (floats(n, 16),), trains=True),
    ReplayModel("transformer", Transformer, lambda n: (torch.randint(0, 50, (2, n)),), trains=True),
    ReplayModel("convolutions", Convolutions, lambda n: (floats(n, 3, 16, 16),), trains=True),
    ReplayModel("attention", Attention, lambda n: (floats(3, n, 16), torch.rand(3, n) < 0.8)),
    ReplayModel("rotary", Rotary, lambda n: (floats(2, n, 16),), trains=True),
    ReplayModel("experts", Experts, lambda n: (floats(n, 16),)),
    ReplayModel("recurrent", Recurrent, lambda n: (torch.randint(0, 20, (n, 6)),)),
    ReplayModel("writes", lambda: Wrapped(write_into), lambda n: (floats(n, 6),)),
    ReplayModel("reductions", lambda: Wrapped(reductions), lambda n: (floats(n, 8),)),
    ReplayModel("losses", lambda: Wrapped(losses), lambda n: (floats(n, 7), torch.randint(0, 7, (n,)))),
    ReplayModel("shapes", lambda: Wrapped(shapes), lambda n: (floats(n, 16),)),
    ReplayModel("images", lambda: Wrapped(images), lambda n: (floats(n, 8, 6, 6),)),
    ReplayModel("dtypes", lambda: Wrapped(dtypes), lambda n: (floats(n, 4), torch.randint(0, 10, (n,)))),
    ReplayModel("activations", lambda: Wrapped(activations), lambda n: (floats(n, 8),)),
]
