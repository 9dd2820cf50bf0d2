"""Calls of one function that can be made again, for probes. Imports torch.

A key (keys.py) describes all of a call except objects. Those are held weakly here, one list for
each form of calls, so that nothing lives longer than it would.
"""

from __future__ import annotations

import inspect
import types
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import torch

from .keys import CallKey, DictKey, FloatKey, ItemsKey, LongText, TensorKey, Truth

__all__ = ["GoneError", "Samples", "form_of"]

MOST_FORMS = 16
MOST_CALLS = 1024  # of a form
PLAIN = (torch.dtype, torch.device, torch.layout, torch.memory_format, type, types.FunctionType)


class GoneError(Exception):
    """A value of a call that cannot be made again."""


class Samples:
    """The distinct calls of one function, by form."""

    def __init__(self, signature: inspect.Signature | None) -> None:
        self.signature = signature
        self.forms: dict[Hashable, list[CallKey]] = {}
        self.has_objects = False
        self._objects: dict[Hashable, list[Callable[[], Any]]] = {}

    def add(self, key: CallKey, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """A call that was not seen before."""
        form = form_of(key)
        calls = self.forms.get(form)
        if calls is None:
            if len(self.forms) >= MOST_FORMS:
                return
            calls = self.forms[form] = []
        if len(calls) < MOST_CALLS:
            calls.append(key)
        self._hold(form, key, args, kwargs)

    def keep_up(self, key: CallKey, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """A call that was seen before. The objects of the latest call live the longest."""
        if self.has_objects and (form := form_of(key)) in self.forms:
            self._hold(form, key, args, kwargs)

    def _hold(
        self, form: Hashable, key: CallKey, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        pairs = zip((*key.args, *key.values), (*args, *kwargs.values()), strict=True)
        objects = [hold for part, value in pairs for hold in _held(part, value)]
        self.has_objects |= bool(objects)
        self._objects[form] = objects

    def make(self, key: CallKey) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call, with tensors that contain anything. Raises GoneError."""
        maker = _Maker(key.same, iter(self._objects[form_of(key)]))
        args = [maker.value(part) for part in key.args]
        return args, {n: maker.value(p) for n, p in zip(key.names, key.values, strict=True)}

    def sources(self, key: CallKey) -> list[tuple[str, Hashable]]:
        """The source of each argument as Dynamo names it, and its key."""
        kwargs = dict(zip(key.names, key.values, strict=True))
        if self.signature is None:
            named = {"args": ItemsKey("tuple", key.args)}
            return [*_named(named), *_named({"kwargs": DictKey(key.names, key.values)})]
        bound = self.signature.bind(*key.args, **kwargs).arguments
        for name, parameter in self.signature.parameters.items():
            if name in bound and parameter.kind is parameter.VAR_POSITIONAL:
                bound[name] = ItemsKey("tuple", tuple(bound[name]))
            elif name in bound and parameter.kind is parameter.VAR_KEYWORD:
                bound[name] = DictKey(tuple(bound[name]), tuple(bound[name].values()))
        return list(_named(bound))


def form_of(key: CallKey) -> Hashable:
    """What calls have in common that differ in sizes and numbers only."""
    parts = tuple(_form(part) for part in (*key.args, *key.values))
    return key.state, len(key.args), key.names, parts, key.same


def leaves(source: str, key: Hashable) -> Iterator[tuple[str, Hashable]]:
    """The values within a value, with their sources."""
    if isinstance(key, ItemsKey):
        for index, item in enumerate(key.items):
            yield from leaves(f"{source}[{index}]", item)
    elif isinstance(key, DictKey):
        for name, value in zip(key.names, key.values, strict=True):
            yield from leaves(f"{source}[{name!r}]", value)
    else:
        yield source, key


def _named(bound: Mapping[str, Any]) -> Iterator[tuple[str, Hashable]]:
    for name, key in bound.items():
        yield from leaves(f"L[{name!r}]", key)


def _form(key: Hashable) -> Hashable:
    if isinstance(key, TensorKey):
        return ("tensor", len(key.size), *key[3:8])
    if isinstance(key, ItemsKey):
        return key.kind, tuple(_form(item) for item in key.items)
    if isinstance(key, DictKey):
        return key.names, tuple(_form(value) for value in key.values)
    if isinstance(key, FloatKey) or type(key) is int:
        return type(key).__name__
    return key


def _held(key: Hashable, value: Any) -> Iterator[Callable[[], Any]]:
    """What gives each object of a value again, in the order of their keys."""
    if isinstance(key, ItemsKey):
        for part, item in zip(key.items, value, strict=True):
            yield from _held(part, item)
    elif isinstance(key, DictKey):
        for part, item in zip(key.values, value.values(), strict=True):
            yield from _held(part, item)
    elif not _is_described(key):
        if isinstance(value, PLAIN) or _is_enum(value):
            yield lambda: value
        else:
            try:
                yield weakref.ref(value)
            except TypeError:
                yield _nothing


def _is_enum(value: Any) -> bool:
    return type(value).__module__ != "builtins" and hasattr(type(value), "__members__")


def _nothing() -> None:
    """An object that cannot be held weakly."""


def _is_described(key: Hashable) -> bool:
    """Whether a key contains all of its value."""
    return key is None or isinstance(key, (TensorKey, FloatKey, Truth, str)) or type(key) is int


class _Maker:
    """Makes the values of one call, in the order in which its keys were made."""

    def __init__(self, same: tuple[int, ...], objects: Iterator[Callable[[], Any]]) -> None:
        self._same = same
        self._objects = objects
        self._tensors: list[torch.Tensor] = []

    def value(self, key: Hashable) -> Any:
        if isinstance(key, TensorKey):
            return self._tensor(key)
        if isinstance(key, ItemsKey):
            items = [self.value(item) for item in key.items]
            return items if key.kind == "list" else tuple(items)
        if isinstance(key, DictKey):
            return {n: self.value(part) for n, part in zip(key.names, key.values, strict=True)}
        if isinstance(key, FloatKey):
            return float(key.text)
        if isinstance(key, Truth):
            return key is Truth.TRUE
        if _is_described(key):
            return key
        value = next(self._objects)()
        if value is None:
            what = "a long text" if isinstance(key, LongText) else getattr(key, "type", "an object")
            raise GoneError(f"an argument ({what}) does not exist any more")
        return value

    def _tensor(self, key: TensorKey) -> torch.Tensor:
        index = len(self._tensors)
        first = self._same[index] if index < len(self._same) else index
        if first < index:
            self._tensors.append(self._tensors[first])
            return self._tensors[first]
        if key.stride is None or key.type not in ("", "Parameter"):
            raise GoneError(f"a tensor of the class {key.type or 'sparse'} cannot be made")
        with torch.inference_mode(key.is_inference):
            # Memory that nothing is written to takes no room.
            span = sum((s - 1) * t for s, t in zip(key.size, key.stride, strict=True) if s > 1)
            base = torch.empty(int(key.offset) + span + 1, dtype=key.dtype, device=key.device)
            made = base.as_strided(key.size, key.stride, int(key.offset))
            if key.offset == 0:
                made = torch.empty_strided(key.size, key.stride, dtype=key.dtype, device=key.device)
            made = made.detach()
        if key.type == "Parameter":
            made = torch.nn.Parameter(made, requires_grad=key.requires_grad)
        elif key.requires_grad:
            made.requires_grad_()
        self._tensors.append(made)
        return made
