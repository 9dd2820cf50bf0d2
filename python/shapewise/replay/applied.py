"""A policy in force: options set, the subject compiled, inputs padded and marked. Needs torch."""

from __future__ import annotations

import fnmatch
import inspect
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch._dynamo
import torch.fx.experimental._config as shape_config

from .errors import ReplayError
from .policy import Policy
from .sources import place_of
from .values import mark_part, mask_part, pad_part, pad_shapes, serve_part

if TYPE_CHECKING:
    from .subjects import State

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
    if policy.inductor:
        import torch._inductor.config as inductor_config

        for name, value in policy.inductor.items():
            *groups, last = name.split(".")
            inductor_holder: Any = inductor_config
            for group in groups:
                inductor_holder = getattr(inductor_holder, group)
            _set(inductor_holder, last, value)
    if policy.float32_matmul_precision:
        torch.set_float32_matmul_precision(policy.float32_matmul_precision)


def _set(holder: Any, name: str, value: Any) -> None:
    if not hasattr(holder, name):
        raise ReplayError(f"torch {torch.__version__} has no option '{name}'")
    try:
        setattr(holder, name, value)
    except Exception as error:
        raise ReplayError(f"option '{name}': {error}") from None


# Before 2.13, compiled functions with one code object share a cache.
CAN_ISOLATE = "isolate_recompiles" in inspect.signature(torch.compile).parameters


def with_own_code(target: Callable[..., Any], number: int) -> Callable[..., Any]:
    """A function that calls `target` and has a code object, and so a cache, of its own."""

    def call(*arguments: Any, **named: Any) -> Any:
        return target(*arguments, **named)

    code = call.__code__.replace(co_name=f"call_{number}")
    return types.FunctionType(code, call.__globals__, code.co_name, None, call.__closure__)


class Compiler:
    """Compiles a subject as a policy says, once for each wrapper."""

    def __init__(self, policy: Policy, target: Callable[..., Any], state: State) -> None:
        self._policy = policy
        self._target = target
        self._wrappers: dict[tuple[int, str], Callable[..., Any]] = {}
        if policy.regions is not None:
            self._compile_regions(state)

    def wrapper(self, number: int, way: str = "") -> Callable[..., Any]:
        """The compiled subject for calls of this wrapper, by the way they are served."""
        regions = self._policy.regions
        if self._policy.eager or way == "eager" or (regions and regions.way == "compile"):
            return self._target
        key = (number, way)
        if key not in self._wrappers:
            target, arguments = self._target, self._policy.compile_arguments()
            if "isolate_recompiles" in arguments and not CAN_ISOLATE:
                if self._policy.serving is None:
                    raise ReplayError(
                        f"isolate_recompiles needs torch 2.13; this is {torch.__version__}"
                    )
                del arguments["isolate_recompiles"]
                target = with_own_code(target, len(self._wrappers))
            self._wrappers[key] = torch.compile(target, **arguments)
        return self._wrappers[key]

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
        marked: dict[type[torch.nn.Module], type[torch.nn.Module]] = {}
        for module in chosen:
            if regions.way == "compile":
                # Not module.compile(): that leaves modules of torch.nn itself uncompiled.
                module.forward = torch.compile(module.forward, **self._policy.compile_arguments())
                continue
            # The region must be on the class, not the object: torch 2.13 computes a second object
            # with the weights of the first if forward is an attribute of each.
            known = type(module)
            if known not in marked:
                region = torch.compiler.nested_compile_region(known.forward)
                marked[known] = type(known.__name__, (known,), {"forward": region})
            module.__class__ = marked[known]


@dataclass
class Prepared:
    """The arguments of a call, as a policy requires them."""

    values: dict[str, Any]
    padded: list[tuple[int, int]]  # (real size, padded size) of dims that were padded
    way: str = ""  # what serves the call, where a policy has several ways


class Preparation:
    """What a policy does to the inputs of each call."""

    def __init__(self, policy: Policy, signature: inspect.Signature) -> None:
        """Raises ReplayError if the policy names an argument that the subject does not have."""
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
        shapes = policy.shapes
        padded = [] if shapes is None else shapes.dims
        self._shapes = [(place(dim.source), dim.dim, dim.fill) for dim in padded]
        self._shape_sizes = () if shapes is None else shapes.sizes
        self._serving = policy.serving
        served = [] if policy.serving is None else policy.serving.dims
        self._served = [(place(dim.source), dim.dim, dim.fill) for dim in served]

    def prepare(self, values: dict[str, Any], index: int) -> Prepared:
        """Pads and marks the inputs of a call; `index` is the call's number."""
        padded: list[tuple[int, int]] = []
        for path, like, dim, sizes in self._masks:
            mask_part(values, path, like, dim, sizes)
        padded += pad_shapes(values, self._shapes, self._shape_sizes)
        way = ""
        if self._serving is not None:
            way, changes = serve_part(values, self._served, self._serving.given())
            padded += changes
        for path, buckets in self._buckets:
            change = pad_part(values, path, buckets.dim, buckets.sizes, buckets.fill)
            if change is not None:
                padded.append(change)
            if buckets.mark_static:
                mark_part(values, path, buckets.dim, "static", None, None)
        for path, mark in self._marks:
            if mark.calls is None or index in mark.calls:
                mark_part(values, path, mark.dim, mark.kind, mark.min, mark.max)
        return Prepared(values, padded, way)
