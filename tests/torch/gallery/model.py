"""How models of libraries are called and made sensitive to what stands beside a position. Imports torch."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from padding_models import Case, Input
from torch import Tensor, nn


class Called(nn.Module):
    """A model in inference that takes its inputs in order; of several outputs the first is looked at."""

    def __init__(self, model: nn.Module, names: tuple[str, ...], settings: dict[str, Any]) -> None:
        """`names` are those of the inputs; `settings` are passed with every call."""
        super().__init__()
        self.model = randomized(model)
        self.names = names
        self.settings = settings

    def forward(self, *inputs: Tensor) -> Tensor:
        """The first output."""
        result = self.model(**dict(zip(self.names, inputs, strict=True)), **self.settings)
        return result if isinstance(result, Tensor) else result[0]


def randomized(model: nn.Module, seed: int = 0) -> nn.Module:
    """Weights of ordinary magnitude: with those that libraries begin with, positions hardly affect each other."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if not parameter.is_floating_point():
                continue
            noise = torch.randn(parameter.shape, generator=generator)
            if parameter.dim() > 1:
                parameter.copy_(noise * 1.3 / math.sqrt(parameter[0].numel()))
            else:
                parameter.add_(noise * 0.2)
    return model


def case(name: str, build: Callable[[], nn.Module], *inputs: Input, **more: Any) -> Case:
    """A case whose model takes `inputs` by their names, and the settings that `more` names as keywords."""
    names = tuple(given.name for given in inputs)
    settings = more.pop("settings", {})
    sizes = more.pop("sizes", ((9, 10), (9, 16), (13, 32)))
    return Case(name, lambda: Called(build(), names, settings).eval(), inputs, sizes=sizes, **more)
