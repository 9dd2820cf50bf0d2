#!/usr/bin/env python3
"""Captures models as dumps, and makes programs of them for the native replay.

    tests/gpu/dumps.py SHAPEWISE FOLDER [--scale small]

Writes NAME.txt, as PyTorch prints the graph, and NAME.json, as `shapewise graph --format program` does, for each of
five graphs with one size that varies. What depends on a device is left to it: attention is printed by Dynamo, as one
call; AOTAutograd's graphs hold no operator that only a CPU has. So the same files serve a CPU and a GPU.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch._dynamo.backends.common import aot_autograd


@dataclass(frozen=True)
class Scale:
    """How large the models are. Weights are made up when a program is run: they are in no file."""

    width: int
    heads: int
    layers: int
    batch: int
    channels: int
    image: int


SCALES = {"small": Scale(32, 4, 1, 2, 8, 16), "full": Scale(1024, 16, 4, 16, 64, 64)}
CAPTURED_SIZE = 24


class Encoder(nn.Module):
    """Layers of attention over a sequence."""

    def __init__(self, scale: Scale) -> None:
        super().__init__()
        self.heads = scale.heads
        layers = range(scale.layers)
        self.qkv = nn.ModuleList(nn.Linear(scale.width, 3 * scale.width) for _ in layers)
        self.out = nn.ModuleList(nn.Linear(scale.width, scale.width) for _ in layers)
        self.up = nn.ModuleList(nn.Linear(scale.width, 4 * scale.width) for _ in layers)
        self.down = nn.ModuleList(nn.Linear(4 * scale.width, scale.width) for _ in layers)
        self.norms = nn.ModuleList(nn.LayerNorm(scale.width) for _ in range(2 * scale.layers))

    def forward(self, x: Tensor) -> Tensor:
        for i, (qkv, out, up, down) in enumerate(zip(self.qkv, self.out, self.up, self.down, strict=True)):
            parts = qkv(self.norms[2 * i](x)).chunk(3, dim=-1)
            q, k, v = (part.unflatten(-1, (self.heads, -1)).transpose(1, 2) for part in parts)
            attended = F.scaled_dot_product_attention(q, k, v)
            x = x + out(attended.transpose(1, 2).flatten(2))
            x = x + down(F.gelu(up(self.norms[2 * i + 1](x))))
        return x


class Classifier(nn.Module):
    """Convolutions over a batch of images."""

    def __init__(self, scale: Scale) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, scale.channels, 3, padding=1)
        self.norm = nn.BatchNorm2d(scale.channels)
        self.second = nn.Conv2d(scale.channels, 2 * scale.channels, 3, stride=2, padding=1)
        self.head = nn.Linear(2 * scale.channels, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = F.relu(self.norm(self.first(x)))
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        return F.log_softmax(self.head(F.adaptive_avg_pool2d(x, 1).flatten(1)), dim=-1)


class Decoder(nn.Module):
    """One new token that looks at a cache of many."""

    def forward(self, query: Tensor, cache: Tensor) -> Tensor:
        keys, values = cache.unbind(0)
        scores = query @ keys.transpose(-2, -1) * query.shape[-1] ** -0.5
        return torch.softmax(scores, dim=-1, dtype=torch.float32).to(query.dtype) @ values


class Block(nn.Module):
    """What is trained: a residual block over rows."""

    def __init__(self, scale: Scale) -> None:
        super().__init__()
        self.up = nn.Linear(scale.width, 4 * scale.width)
        self.down = nn.Linear(4 * scale.width, scale.width)
        self.norm = nn.LayerNorm(scale.width)

    def forward(self, x: Tensor) -> Tensor:
        normalised: Tensor = self.norm(x + self.down(F.gelu(self.up(x))))
        return normalised


def printed(module: torch.fx.GraphModule) -> str:
    """A graph with strides and devices."""
    return str(module.print_readable(print_output=False, include_stride=True, include_device=True))


def dynamo_dump(model: nn.Module, inputs: Sequence[Tensor], varied: tuple[int, int]) -> str:
    """Dynamo's graph of a call in which dim varied[1] of input varied[0] is dynamic."""
    texts: list[str] = []

    def backend(module: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        texts.append(printed(module))
        return module.forward

    torch.compiler.reset()
    torch._dynamo.mark_dynamic(inputs[varied[0]], varied[1])
    with torch.no_grad():
        torch.compile(model.eval(), backend=backend)(*inputs)
    (text,) = texts
    return text


def training_dumps(model: nn.Module, rows: Tensor) -> tuple[str, str]:
    """AOTAutograd's forward and backward graphs, whose first dim is dynamic."""
    texts: list[str] = []

    def compiler(module: torch.fx.GraphModule, _: Sequence[Any]) -> Any:
        texts.append(printed(module))

        def boxed(args: list[Any]) -> Any:
            return module(*args)

        boxed._boxed_call = True  # type: ignore[attr-defined]
        return boxed

    torch.compiler.reset()
    torch._dynamo.mark_dynamic(rows, 0)
    compiled = torch.compile(model, backend=aot_autograd(fw_compiler=compiler, bw_compiler=compiler))
    compiled(rows).sum().backward()
    forward, backward = texts
    return forward, backward


def dumps(scale: Scale) -> dict[str, str]:
    """Every dump by name."""
    n, width = CAPTURED_SIZE, scale.width
    head = width // scale.heads
    sequence = torch.randn(scale.batch, n, width, dtype=torch.bfloat16)
    query = torch.randn(scale.batch, scale.heads, 1, head, dtype=torch.float16)
    cache = torch.randn(2, scale.batch, scale.heads, n, head, dtype=torch.float16)
    images = torch.randn(n, 3, scale.image, scale.image)
    forward, backward = training_dumps(Block(scale), torch.randn(n, width))
    return {
        "encoder": dynamo_dump(Encoder(scale).bfloat16(), [sequence], (0, 1)),
        "classifier": dynamo_dump(Classifier(scale), [images], (0, 0)),
        "decoder": dynamo_dump(Decoder(), [query, cache], (1, 3)),
        "block-forward": forward,
        "block-backward": backward,
    }


def main() -> int:
    """Reads the command line and writes the files."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapewise")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scale", choices=SCALES, default="full")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    for name, text in dumps(SCALES[options.scale]).items():
        dump = options.folder / f"{name}.txt"
        dump.write_text(text, encoding="utf-8")
        command = [options.shapewise, "graph", "--format", "program", "-o", str(dump.with_suffix(".json")), str(dump)]
        subprocess.run(command, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
