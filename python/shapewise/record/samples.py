"""Calls of one function that can be made again, for probes. Imports torch.

A key (keys.py) describes all of a call except objects. Those are held weakly here, one list for
each form of calls, so that nothing lives longer than it would.
"""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any

import torch

from .keys import CallKey, DictKey, FloatKey, ItemsKey, LongText, OpaqueKey, TensorKey, Truth

__all__ = ["GoneError", "Samples", "form_of"]

MOST_FORMS = 16
MOST_CALLS = 1024  # of a form


class GoneError(Exception):
    """A value of a call that cannot be made again."""


class Form:
    """Calls that differ in sizes and numbers only, and the objects of the latest of them."""

    __slots__ = ("_objects", "_paths", "calls")

    def __init__(self, parts: tuple[Hashable, ...]) -> None:
        """`parts`: the keys of the arguments of a call."""
        self.calls: list[CallKey] = []
        self._paths = [path for i, part in enumerate(parts) for path in _paths(part, (i,))]
        self._objects: list[Callable[[], Any]] = []

    def hold(self, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> bool:
        """Holds the objects of a call weakly. The objects of the latest call live the longest.

        This runs in every call. False: there are none in calls of this form.
        """
        if not self._paths:
            return False
        values = (*args, *kwargs.values()) if kwargs else args
        self._objects = [hold(values, path) for hold, path in self._paths]
        return True

    def objects(self) -> Iterator[Callable[[], Any]]:
        """What returns each object of the latest call, in the order of their keys."""
        return iter(self._objects)


class Samples:
    """The distinct calls of one function, by form."""

    def __init__(self, signature: inspect.Signature | None) -> None:
        self.signature = signature
        self.has_objects = False
        self._forms: dict[Hashable, Form] = {}
        self._rest = Form(())  # calls of more forms than are probed

    @property
    def forms(self) -> list[list[CallKey]]:
        """The calls of each form."""
        return [form.calls for form in self._forms.values()]

    def add(self, key: CallKey, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> None:
        """A call that was not seen before."""
        of_key = form_of(key)
        form = self._forms.get(of_key)
        if form is None:
            if len(self._forms) >= MOST_FORMS:
                return
            form = self._forms[of_key] = Form((*key.args, *key.values))
        if len(form.calls) < MOST_CALLS:
            form.calls.append(key)
        self.has_objects |= form.hold(args, kwargs)

    def form(self, key: CallKey) -> Form:
        """The form of a call."""
        return self._forms.get(form_of(key), self._rest)

    def make(self, key: CallKey) -> tuple[list[Any], dict[str, Any]]:
        """The arguments of a call, with tensors that contain anything. Raises GoneError."""
        maker = _Maker(key.same, self._forms[form_of(key)].objects())
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


_Path = tuple["int | str", ...]  # of an argument's number, then indices and names
_Hold = Callable[[Any, _Path], Callable[[], Any]]


def _paths(key: Hashable, path: _Path) -> Iterator[tuple[_Hold, _Path]]:
    """Where the objects of a value are, in the order of their keys, and what holds each."""
    if isinstance(key, ItemsKey):
        for index, part in enumerate(key.items):
            yield from _paths(part, (*path, index))
    elif isinstance(key, DictKey):
        for name, part in zip(key.names, key.values, strict=True):
            yield from _paths(part, (*path, name))
    elif not _is_described(key):
        yield _hold_plain if isinstance(key, OpaqueKey) else _hold_weakly, path


def _hold_weakly(value: Any, path: _Path) -> Callable[[], Any]:
    """What returns an object again, as long as it lives."""
    for step in path:
        value = value[step]
    try:
        return weakref.ref(value)
    except TypeError:
        return _nothing


def _hold_plain(value: Any, path: _Path) -> Callable[[], Any]:
    """What returns a value that belongs to no call again, such as a dtype."""
    for step in path:
        value = value[step]
    return lambda: value


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
