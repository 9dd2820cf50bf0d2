"""The arguments of one call, marked and padded as a policy says. Imports torch."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import torch
import torch.utils._pytree as pytree

from ..replay.policy import Policy
from ..replay.sources import place_of
from ..replay.values import mark_part, pad, part_of

__all__ = ["Arguments"]

Path = tuple[str | int, ...]


class Arguments:
    """The arguments of one call of a compiled function."""

    def __init__(
        self, signature: inspect.Signature | None, args: Any, kwargs: dict[str, Any]
    ) -> None:
        """Without a signature it is that of (*args, **kwargs). Raises TypeError if they misfit."""
        self.args = args
        self.kwargs = kwargs
        self._signature = signature or _ANYTHING
        self._values = dict(self._signature.bind(*args, **kwargs).arguments)
        self._padded: list[tuple[int, int, int]] = []  # (dim, real size, padded size)

    def apply(self, policy: Policy) -> set[int]:
        """Pads and marks; returns the ids of what of the policy found its argument."""
        matched: set[int] = set()
        for buckets in policy.buckets:
            path = place_of(buckets.source, self._values)
            tensor = part_of(self._values, path)
            if not isinstance(tensor, torch.Tensor):
                continue
            matched.add(id(buckets))
            padded = pad(tensor, buckets.dim, buckets.sizes, buckets.fill)
            if padded is not tensor:
                self._replace(path, padded)
                sizes = (tensor.size(buckets.dim), padded.size(buckets.dim))
                self._padded.append((buckets.dim, *sizes))
            if buckets.mark_static:
                mark_part(self._values, path, buckets.dim, "static", None, None)
        for mark in policy.marks:
            path = place_of(mark.source, self._values)
            if isinstance(part_of(self._values, path), torch.Tensor):
                matched.add(id(mark))
                mark_part(self._values, path, mark.dim, mark.kind, mark.min, mark.max)
        return matched

    def restore(self, result: Any) -> Any:
        """`result` with padded dims cut to the real size."""
        for dim, real, padded in self._padded:
            result = pytree.tree_map(_cutter(dim, real, padded), result)
        return result

    def _replace(self, path: Path, tensor: torch.Tensor) -> None:
        """Puts a tensor at `path`; containers of the program are copied, not changed."""
        name = str(path[0])
        self._values[name] = _with_part(self._values[name], path[1:], tensor)
        bound = inspect.BoundArguments(self._signature, self._values)
        self.args, self.kwargs = bound.args, bound.kwargs


def _anything(*args: Any, **kwargs: Any) -> None:
    """Has the signature of a frame that takes what comes."""


_ANYTHING = inspect.signature(_anything)


def _with_part(value: Any, path: Path, part: Any) -> Any:
    if not path:
        return part
    first = path[0]
    inner = _with_part(value[first], path[1:], part)
    if isinstance(value, tuple):
        return tuple(inner if i == first else item for i, item in enumerate(value))
    changed = value.copy()
    changed[first] = inner
    return changed


def _cutter(dim: int, real: int, padded: int) -> Callable[[Any], Any]:
    """Cuts the dim of a tensor that has the padded size: the same dim first."""

    def cut(leaf: Any) -> Any:
        if not isinstance(leaf, torch.Tensor):
            return leaf
        dims = [d for d in (dim, *range(leaf.dim())) if d < leaf.dim() and leaf.size(d) == padded]
        return leaf.narrow(dims[0], 0, real) if dims else leaf

    return cut
