"""Keys of calls -> call records (analyzer/docs/call-records.md). Imports torch."""

from __future__ import annotations

import inspect
import json
import math
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any

from .keys import (
    CallKey,
    DictKey,
    FirstObject,
    FloatKey,
    ItemsKey,
    LongText,
    OpaqueKey,
    StateKey,
    TensorKey,
    Truth,
    UnknownKey,
    value_key,
)

if TYPE_CHECKING:
    from .targets import Target

__all__ = ["batch_json", "describe_call", "inputs_json", "state_members"]

LARGEST_INT = (1 << 63) - 1
# The first of the arguments of a method of (*args): guards count it.
OWNER = {"opaque": "the object of the method"}


class _Part:
    """A key that inspect can distinguish from a default value."""

    __slots__ = ("key",)

    def __init__(self, key: Hashable) -> None:
        self.key = key


class _Values:
    """The values of one call as JSON; tensors are met in the order in which keys were made."""

    def __init__(self, same: tuple[int, ...]) -> None:
        self._same = same
        self._count = 0
        self._shared = {first for first in same if same.count(first) > 1}

    def number(self) -> int:
        """`object` of the next tensor; 0 if no other input is the same object."""
        index = self._count
        self._count += 1
        if index >= len(self._same) or self._same[index] not in self._shared:
            return 0
        return self._same[index] + 1

    def value(self, key: Hashable) -> Any:
        if isinstance(key, TensorKey):
            return _tensor(key, self.number())
        if isinstance(key, ItemsKey):
            return {key.kind: [self.value(item) for item in key.items]}
        if isinstance(key, DictKey):
            pairs = zip(key.names, key.values, strict=True)
            return {"dict": {name: self.value(value) for name, value in pairs}}
        return _plain(key)


def inputs_json(
    key: CallKey, signature: inspect.Signature | None, is_owner_in_args: bool = False
) -> dict[str, Any] | None:
    """`inputs` of the record; None: the arguments do not fit, and the call is going to raise.

    Without a signature arguments are those of `def f(*args, **kwargs)`.
    """
    owner: list[Any] = [OWNER] if is_owner_in_args else []
    values = _Values(key.same)
    args = [_Part(values.value(part)) for part in key.args]
    named = [_Part(values.value(part)) for part in key.values]
    kwargs = dict(zip(key.names, named, strict=True))
    if signature is None:
        return {
            "args": {"tuple": [part.key for part in args]},
            "kwargs": {"dict": {name: part.key for name, part in kwargs.items()}},
        }
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    inputs: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if name not in bound.arguments:
            if parameter.kind is parameter.VAR_POSITIONAL:
                inputs[name] = {"tuple": owner}
            elif parameter.kind is parameter.VAR_KEYWORD:
                inputs[name] = {"dict": {}}
            else:
                inputs[name] = _Values(()).value(value_key(parameter.default))
            continue
        given = bound.arguments[name]
        if parameter.kind is parameter.VAR_POSITIONAL:
            inputs[name] = {"tuple": [*owner, *(part.key for part in given)]}
        elif parameter.kind is parameter.VAR_KEYWORD:
            inputs[name] = {"dict": {word: part.key for word, part in given.items()}}
        else:
            inputs[name] = given.key
    return inputs


def batch_json(key: Hashable) -> dict[str, Any]:
    """`inputs` of a record: the values of a dict by their names."""
    inputs: dict[str, Any] = _Values(()).value(key)["dict"]
    return inputs


def describe_call(
    key: CallKey,
    place: str,
    target: Target,
    usual: StateKey,
    policy: dict[str, Any] | None,
) -> str | None:
    """A record without `times` and without its last brace. None: the arguments do not fit.

    `place`: the members that name the function, as JSON without braces. `usual`: the default
    state; only differences are written.
    """
    inputs = inputs_json(key, target.signature, target.is_owner_in_args)
    if inputs is None:
        return None
    members: dict[str, Any] = {}
    if key.wrapper:
        members["wrapper"] = key.wrapper
    if key.stance != "default":
        members["stance"] = key.stance
    members.update(state_members(key.state, usual))
    if policy is not None:
        members["policy"] = policy
    members["inputs"] = inputs
    return f"{{{place}, {json.dumps(members)[1:-1]}"


def state_members(state: StateKey, usual: StateKey) -> dict[str, str]:
    """`grad` and `state`, if they differ from the defaults."""
    members: dict[str, str] = {}
    if state.inference:
        members["grad"] = "inference"
    elif not state.grad:
        members["grad"] = "off"
    parts = list(_state_parts(state, usual))
    if parts:
        members["state"] = ", ".join(parts)
    return members


def _state_parts(state: StateKey, usual: StateKey) -> Iterator[str]:
    dtypes = {dtype for _, dtype in state.autocast}
    if len(dtypes) == 1:
        yield f"autocast={_short(next(iter(dtypes)))}"
    elif state.autocast:
        for kind, dtype in state.autocast:
            yield f"autocast({kind})={_short(dtype)}"
    if state.function_modes != usual.function_modes:
        yield f"function_modes={state.function_modes}"
    if state.threads != usual.threads:
        yield f"threads={state.threads}"
    if state.deterministic != usual.deterministic:
        yield f"deterministic={state.deterministic}"
    if state.default_dtype != usual.default_dtype:
        yield f"default_dtype={_short(state.default_dtype)}"
    if state.default_device != usual.default_device:
        yield f"default_device={state.default_device}"


def _short(dtype: object) -> str:
    return str(dtype).removeprefix("torch.")


def _tensor(key: TensorKey, number: int) -> dict[str, Any]:
    given: dict[str, Any] = {"size": list(key.size)}
    if key.stride is not None:
        given["stride"] = list(key.stride)
    if key.offset:
        given["offset"] = key.offset
    given["dtype"] = _short(key.dtype)
    given["device"] = str(key.device)
    if key.requires_grad:
        given["requires_grad"] = True
    if key.type:
        given["type"] = key.type
    if key.is_inference:
        given["keys"] = "inference"
    if number:
        given["object"] = number
    if key.marks:
        given["marks"] = list(_marks(key))
    return given


def _marks(key: TensorKey) -> Iterator[dict[str, Any]]:
    bounds: dict[tuple[str, int], dict[str, int]] = {}
    kinds = {"range": "dynamic", "bounds": "unbacked"}
    for kind, values in key.marks:
        if kind in kinds:
            ends = zip(("min", "max"), values[1:], strict=True)
            bounds[kinds[kind], values[0]] = {end: at for end, at in ends if at is not None}
    for kind, values in key.marks:
        if kind not in kinds:
            for dim in values:
                yield {"dim": dim, "kind": kind, **bounds.get((kind, dim), {})}


def _plain(key: Hashable) -> Any:
    if isinstance(key, Truth):
        return key is Truth.TRUE
    if isinstance(key, FloatKey):
        number = key.text
        is_number = isinstance(number, float) and math.isfinite(number)
        return number if is_number else {"float": str(number)}
    if isinstance(key, LongText):
        return {"opaque": f"{key.length} characters #{key.hash & 0xFFFFFFFF:08x}"}
    if isinstance(key, OpaqueKey):
        return {"opaque": key.text or "''"}
    if isinstance(key, FirstObject):
        return {"opaque": f"the first {key.type}"}
    if isinstance(key, UnknownKey):
        return {"unknown": True}
    if isinstance(key, int) and abs(key) > LARGEST_INT:
        return {"opaque": str(key)}
    return key
