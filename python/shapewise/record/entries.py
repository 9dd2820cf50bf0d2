"""The entries that Dynamo compiled for a function in this process. Imports torch.

An entry in which all sizes that vary are symbols shows what a trace of the call would show again.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

__all__ = ["Entries", "Serving", "Varied", "code_of"]

# check_tensor(L['x'], Tensor, ..., size=[None, 4], stride=[4, 1])
_TENSOR = re.compile(r"check_tensor\((.*?), \w+, DispatchKeySet.*, size=\[([^\]]*)\]")


@dataclass(frozen=True)
class Varied:
    """What is not the same in all calls of a function."""

    dims: set[tuple[str, int, int]]  # source, ndim, dim
    numbers: set[str]  # sources


@dataclass(frozen=True)
class Serving:
    """An entry that serves a call."""

    serves_all: bool  # the same call of all functions of this code


@dataclass(frozen=True)
class _Entry:
    guards: Any
    static: set[tuple[str, int, int]]  # dims that vary, and are constants here: source, ndim, dim
    tensors: set[str]  # the sources of all tensors that it compares


class Entries:
    """The entries of one code object that treat no varied number as a constant."""

    def __init__(self, code: Any, varied: Varied) -> None:
        """`code`: None if unknown. Entries of releases that store them otherwise are not found."""
        self._varied = varied
        self._entries: list[_Entry] = []
        get: Any = getattr(torch._C._dynamo.eval_frame, "_debug_get_cache_entry_list", None)
        if code is None or get is None:
            return
        constants = tuple(f"{source} == " for source in varied.numbers)
        for entry in get(code):
            parts = getattr(getattr(entry, "guard_manager", None), "code_parts", None)
            if not parts or (constants and any(part.startswith(constants) for part in parts)):
                continue
            self._entries.append(self._read(entry.guard_manager, parts))

    def __bool__(self) -> bool:
        return bool(self._entries)

    def _read(self, guards: Any, parts: Sequence[str]) -> _Entry:
        static: set[tuple[str, int, int]] = set()
        tensors: set[str] = set()
        for part in parts:
            if (found := _TENSOR.match(part)) is None:
                continue
            source = found[1]
            tensors.add(source)
            sizes = found[2].split(", ")
            for dim, size in enumerate(sizes):
                if size != "None" and (source, len(sizes), dim) in self._varied.dims:
                    static.add((source, len(sizes), dim))
        return _Entry(guards, static, tensors)

    def serving(
        self,
        functions: Sequence[Any],
        signature: inspect.Signature | None,
        args: list[Any],
        kwargs: dict[str, Any],
        dims: Sequence[tuple[str, int]],
    ) -> Serving | None:
        """The entry that serves a call of the first of `functions`, with symbols for all varied
        sizes among `dims` (source and dim). May raise any exception."""
        asked = set(dims)
        varied = {source for source, _, dim in self._varied.dims if (source, dim) in asked}
        for entry in self._entries:
            is_static = any((source, dim) in asked for source, _, dim in entry.static)
            # Without a guard a tensor is not read, or guards name it in another way.
            if is_static or not varied <= entry.tensors:
                continue
            if entry.guards.check(_locals_of(functions[0], signature, args, kwargs)):
                others = functions[1:]
                serves = [
                    entry.guards.check(_locals_of(f, signature, args, kwargs)) for f in others
                ]
                return Serving(all(serves))
        return None


def code_of(function: Any) -> Any:
    """The code that Dynamo compiles when `function` is called; None if unknown."""
    return getattr(_plain(function), "__code__", None)


def _plain(function: Any) -> Any:
    owner = getattr(function, "__self__", None)
    if isinstance(owner, torch.nn.Module):
        function = owner.forward
    return getattr(function, "__func__", function)


def _locals_of(
    function: Any,
    signature: inspect.Signature | None,
    args: list[Any],
    kwargs: Mapping[str, Any],
) -> dict[str, Any]:
    """The local variables of a call of `function` when it begins, as guards take them."""
    if signature is None:
        raise TypeError("not a function of its own code")
    plain = _plain(function)
    bound = signature.bind(*args, **kwargs)
    bound.apply_defaults()
    values = dict(bound.arguments)
    code = plain.__code__
    owner = getattr(function, "__self__", None)
    if owner is not None and code.co_argcount > 0:
        values[code.co_varnames[0]] = owner
    elif owner is not None:  # a method of (*args)
        name = code.co_varnames[code.co_kwonlyargcount]
        values[name] = (owner, *values[name])
    if plain.__closure__:
        cells = zip(code.co_freevars, plain.__closure__, strict=True)
        values |= {name: cell.cell_contents for name, cell in cells}
    return values
