"""A policy in force: options set, the subject compiled, inputs padded and marked. Needs torch."""

from __future__ import annotations

import fnmatch
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import torch._dynamo
import torch.fx.experimental._config as shape_config

from .errors import ReplayError
from .policy import Policy
from .sources import place_of
from .subjects import State
from .values import mark_part, mask_part, pad_part

__all__ = ["Compiler", "Preparation", "Prepared", "configure"]


def configure(policy: Policy) -> None:
    """Sets a policy's options for this process. Raises ReplayError if torch has no such option."""
    torch_dynamo: Any = torch._dynamo
    for name, value in policy.config.items():
        holder = torch_dynamo.config if hasattr(torch_dynamo.config, name) else shape_config
        _set(holder, name, value)
    for name, value in policy.shape_config.items():
        _set(shape_config, name, value)
    for name in ("dynamic_sources", "unbacked_sources"):
        value = getattr(policy, name)
        if value:
            import torch.compiler.config as compiler_config

            _set(compiler_config, name, value)


def _set(holder: Any, name: str, value: Any) -> None:
    if not hasattr(holder, name):
        raise ReplayError(f"torch {torch.__version__} has no option '{name}'")
    try:
        setattr(holder, name, value)
    except Exception as error:
        raise ReplayError(f"option '{name}': {error}") from None


class Compiler:
    """Compiles a subject as a policy says, once for each wrapper."""

    def __init__(self, policy: Policy, target: Callable[..., Any], state: State) -> None:
        self._policy = policy
        self._target = target
        self._wrappers: dict[int, Callable[..., Any]] = {}
        if policy.regions is not None:
            self._compile_regions(state)

    def wrapper(self, number: int) -> Callable[..., Any]:
        """The compiled subject that calls with this number of a wrapper go to."""
        if self._policy.eager or (self._policy.regions and self._policy.regions.way == "compile"):
            return self._target
        if number not in self._wrappers:
            self._wrappers[number] = torch.compile(self._target, **self._policy.compile_arguments())
        return self._wrappers[number]

    def _compile_regions(self, state: State) -> None:
        regions = self._policy.regions
        assert regions is not None
        chosen = [
            module
            for owner in state.modules.values()
            for name, module in owner.named_modules()
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in regions.modules)
        ]
        if not chosen:
            raise ReplayError(f"no submodule is named {' or '.join(regions.modules)}")
        for module in chosen:
            if regions.way == "compile":
                # Not module.compile(): that leaves modules of torch.nn itself uncompiled.
                module.forward = torch.compile(module.forward, **self._policy.compile_arguments())
            else:
                module.forward = torch.compiler.nested_compile_region(module.forward)


@dataclass
class Prepared:
    """The arguments of a call, as a policy wants them."""

    values: dict[str, Any]
    padded: list[tuple[int, int]]  # (real size, padded size) of dims that were padded


class Preparation:
    """What a policy does to the inputs of each call."""

    def __init__(self, policy: Policy, signature: inspect.Signature) -> None:
        """Raises ReplayError if the policy speaks of an argument that the subject does not have."""
        arguments = signature.parameters
        takes_any = any(p.kind is p.VAR_KEYWORD for p in arguments.values())

        def place(source: str) -> tuple[str | int, ...]:
            path = place_of(source, arguments)
            if path[0] not in arguments and not takes_any:
                raise ReplayError(f"there is no argument '{path[0]}'")
            return path

        self._marks = [(place(mark.source), mark) for mark in policy.marks]
        self._buckets = [(place(buckets.source), buckets) for buckets in policy.buckets]
        self._masks = [
            (place(mask.source), place(mask.like), mask.dim, policy.sizes_like(mask))
            for mask in policy.masks
        ]

    def prepare(self, values: dict[str, Any], index: int) -> Prepared:
        """Pads and marks what a call brings; `index` is the call's number."""
        padded: list[tuple[int, int]] = []
        for path, like, dim, sizes in self._masks:
            mask_part(values, path, like, dim, sizes)
        for path, buckets in self._buckets:
            change = pad_part(values, path, buckets.dim, buckets.sizes, buckets.fill)
            if change is not None:
                padded.append(change)
            if buckets.mark_static:
                mark_part(values, path, buckets.dim, "static", None, None)
        for path, mark in self._marks:
            if mark.calls is None or index in mark.calls:
                mark_part(values, path, mark.dim, mark.kind, mark.min, mark.max)
        return Prepared(values, padded)
