"""A recorded call with another size: the same inputs, some of their dims changed together."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from .calls import Call
from .errors import ReplayError
from .job import VariedDim
from .sources import guard_source, path_of

__all__ = ["varied_call"]


def varied_call(call: Call, varied: Sequence[VariedDim], size: int) -> Call:
    """`call` with every dim of `varied` of that size; marks on these dims are left out.

    Tensors that lay dense in memory do so again, in the same order of dims. Raises ReplayError if
    the call has no such tensor or dim.
    """
    inputs: dict[str, Any] = json.loads(json.dumps(call.inputs))
    for place in varied:
        given = _tensor_at(inputs, place.source)
        if given is None:
            raise ReplayError(f"the calls have no tensor '{place.source}'")
        if place.dim >= len(given["size"]):
            raise ReplayError(f"'{place.source}' has no dim {place.dim}: {given['size']}")
        order = _dense_order(given["size"], given.pop("stride", None))
        given["size"][place.dim] = size
        if order is not None:
            given["stride"] = _dense_stride(given["size"], order)
        marks = [mark for mark in given.get("marks", ()) if mark.get("dim") != place.dim]
        given.pop("marks", None)
        if marks:
            given["marks"] = marks
    key = json.dumps([inputs, call.grad, call.state, call.stance, call.wrapper], sort_keys=True)
    return dataclasses.replace(call, inputs=inputs, key=key)


def _tensor_at(inputs: dict[str, Any], source: str) -> dict[str, Any] | None:
    """The record of the tensor that `source` names, as an input or within one."""
    wanted = guard_source(source)
    for name, given in inputs.items():
        if guard_source(name) == wanted:
            return given if isinstance(given, dict) and "size" in given else None
    argument, *steps = path_of(source)
    given = next((inputs[name] for name in inputs if path_of_or_none(name) == (argument,)), None)
    for step in steps:
        if not isinstance(given, dict):
            return None
        parts = next((given[kind] for kind in ("dict", "list", "tuple") if kind in given), None)
        try:
            given = parts[step] if parts is not None else None
        except (KeyError, IndexError, TypeError):
            return None
    return given if isinstance(given, dict) and "size" in given else None


def path_of_or_none(name: str) -> tuple[str | int, ...] | None:
    """As path_of; None if it is not part of an argument, such as an attribute."""
    try:
        return path_of(name)
    except ReplayError:
        return None


def _dense_order(size: Sequence[int], stride: Sequence[int] | None) -> list[int] | None:
    """The dims from the outermost in memory to the innermost; None if in order, or with gaps."""
    if stride is None or len(stride) != len(size):
        return None
    order = sorted(range(len(size)), key=lambda dim: (-stride[dim], dim))
    is_dense = _dense_stride(size, order)
    known = all(size[dim] == 1 or is_dense[dim] == stride[dim] for dim in order)
    return order if known else None


def _dense_stride(size: Sequence[int], order: Sequence[int]) -> list[int]:
    stride = [1] * len(size)
    step = 1
    for dim in reversed(order):
        stride[dim] = step
        step *= max(1, size[dim])
    return stride
