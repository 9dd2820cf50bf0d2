"""The arguments of a call as a key: equal for equal calls. Imports torch.

This runs in every call: no text is made here, and no number of a tensor is read.
"""

from __future__ import annotations

import enum
import types
import weakref
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

import torch
import torch.utils._device

__all__ = [
    "CallKey",
    "DictKey",
    "FirstObject",
    "FloatKey",
    "ItemsKey",
    "LongText",
    "OpaqueKey",
    "StateKey",
    "TensorKey",
    "Truth",
    "UnknownKey",
    "call_key",
    "state_key",
    "value_key",
]

MOST_VALUES = 512  # of a call, in containers
MOST_DEPTH = 8
MOST_TEXT = 200  # characters
MARKS = (
    ("_dynamo_dynamic_indices", "dynamic"),
    ("_dynamo_weak_dynamic_indices", "maybe"),
    ("_dynamo_static_indices", "static"),
    ("_dynamo_unbacked_indices", "unbacked"),
    ("_dynamo_strict_unbacked_indices", "unbacked"),
)

Marks = tuple[tuple[str, tuple[Any, ...]], ...]


class TensorKey(NamedTuple):
    """A tensor."""

    size: tuple[int, ...]
    stride: tuple[int, ...] | None  # None: the layout has no strides
    offset: int | torch.SymInt  # an int: others are unknown values
    dtype: torch.dtype
    device: torch.device
    requires_grad: bool
    is_inference: bool
    type: str  # empty: Tensor
    marks: Marks


class Truth(enum.Enum):
    """A bool, because True equals 1."""

    FALSE = 0
    TRUE = 1


class FloatKey(NamedTuple):
    """A float, because 1.0 equals 1."""

    text: float | str  # "nan", which does not equal itself
    tag: str = "float"  # named tuples with the same items are equal


class LongText(NamedTuple):
    """A str that is too long to be recorded."""

    length: int
    hash: int
    tag: str = "long"


class ItemsKey(NamedTuple):
    """A list or tuple."""

    kind: str
    items: tuple[Hashable, ...]


class DictKey(NamedTuple):
    """A dict with str keys."""

    names: tuple[str, ...]
    values: tuple[Hashable, ...]


class OpaqueKey(NamedTuple):
    """A value that guards compare as a whole."""

    text: str
    tag: str = "opaque"


class FirstObject(NamedTuple):
    """The first object of its class, as long as it lives."""

    type: str
    tag: str = "first"


class UnknownKey(NamedTuple):
    """A value of which only the class is known."""

    type: str
    tag: str = "unknown"


class StateKey(NamedTuple):
    """State that guards compare in addition to the arguments."""

    grad: bool
    inference: bool
    autocast: tuple[tuple[str, torch.dtype], ...]
    function_modes: int
    threads: int
    deterministic: bool
    default_dtype: torch.dtype
    default_device: Hashable


class CallKey(NamedTuple):
    """A call. `same`: for each tensor in order the first one that is the same object; empty: all
    are different."""

    wrapper: int
    stance: str
    state: StateKey
    args: tuple[Hashable, ...]
    names: tuple[str, ...]
    values: tuple[Hashable, ...]
    same: tuple[int, ...]


# State of the walk over the values of one call: the remaining number of values in containers,
# then the ids of its tensors.
_Call = list[int]

_Parts = tuple[tuple[Hashable, ...], tuple[Hashable, ...], tuple[int, ...]]
_Handler = Callable[[Any, _Call, int], Hashable]
_first_objects: dict[type, weakref.ref[Any]] = {}
# Named tuples are created without argument checks, which take longer than the creation.
_new = tuple.__new__
_Tensor = torch.Tensor
_Parameter = torch.nn.Parameter
_true, _false = Truth.TRUE, Truth.FALSE
_devices: Any = torch.utils._device
_is_any_autocast_enabled = torch._C._is_any_autocast_enabled
_is_grad_enabled = torch.is_grad_enabled
_is_inference_mode_enabled = torch.is_inference_mode_enabled
_len_torch_function_stack = torch._C._len_torch_function_stack
_get_num_threads = torch.get_num_threads
_get_deterministic_algorithms = torch._C._get_deterministic_algorithms
_get_default_dtype = torch.get_default_dtype


def call_key(
    wrapper: int, stance: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> CallKey:
    """The key of a call. Raises any exception that unusual objects raise."""
    state = state_key()
    if state.function_modes:
        # Looking at a tensor is a call of a function for those.
        with torch._C.DisableTorchFunction():
            positional, named, same = _parts(args, kwargs)
    else:
        positional, named, same = _parts(args, kwargs)
    return _new(CallKey, (wrapper, stance, state, positional, tuple(kwargs), named, same))


def _parts(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> _Parts:
    call = [MOST_VALUES]
    find = _handlers.get
    positional = tuple([find(type(value), _other)(value, call, 0) for value in args])
    named: tuple[Hashable, ...] = ()
    if kwargs:
        named = tuple([find(type(value), _other)(value, call, 0) for value in kwargs.values()])
    if len(call) > 2:
        tensors = call[1:]
        if len(set(tensors)) != len(tensors):
            return positional, named, tuple([tensors.index(number) for number in tensors])
    return positional, named, ()


def value_key(value: Any) -> Hashable:
    """The key of one value, such as a default of an argument."""
    return _key(value, [MOST_VALUES], 0)


def state_key() -> StateKey:
    """The current state."""
    autocast: tuple[tuple[str, torch.dtype], ...] = ()
    if _is_any_autocast_enabled():
        autocast = tuple(
            (kind, torch.get_autocast_dtype(kind))
            for kind in ("cpu", "cuda", "xpu", "mps")
            if torch.is_autocast_enabled(kind)
        )
    members = (
        _is_grad_enabled(),
        _is_inference_mode_enabled(),
        autocast,
        _len_torch_function_stack(),
        _get_num_threads(),
        _get_deterministic_algorithms(),
        _get_default_dtype(),
        _devices.CURRENT_DEVICE,
    )
    return _new(StateKey, members)


def _key(value: Any, call: _Call, depth: int) -> Hashable:
    return _handlers.get(type(value), _other)(value, call, depth)


def _tensor(value: torch.Tensor, call: _Call, _depth: int) -> Hashable:
    attributes = value.__dict__
    members = (
        value.shape,
        value.stride(),
        value.storage_offset(),
        value.dtype,
        value.device,
        value.requires_grad,
        value.is_inference(),
        "" if type(value) is _Tensor else type(value).__name__,
        _marks(attributes) if attributes else (),
    )
    call.append(id(value))
    return _new(TensorKey, members)


def _any_layout(value: torch.Tensor, call: _Call, depth: int) -> Hashable:
    """A tensor that may be sparse, or wrap another one."""
    name = type(value).__name__
    with torch._C.DisableTorchFunctionSubclass():
        if not all(type(size) is int for size in value.shape):
            return UnknownKey(name)
        try:
            return _tensor(value, call, depth)
        except (RuntimeError, NotImplementedError, TypeError):
            pass
        call.append(id(value))
        plain = (value.dtype, value.device, value.requires_grad, False, name, ())
        return TensorKey(tuple(value.shape), None, 0, *plain)


def _plain_tensor(value: torch.Tensor, call: _Call, depth: int) -> Hashable:
    try:
        return _tensor(value, call, depth)
    except RuntimeError:  # sparse
        return _any_layout(value, call, depth)


def _marks(attributes: Mapping[str, Any]) -> Marks:
    marks: list[tuple[str, tuple[Any, ...]]] = []
    for name, kind in MARKS:
        if dims := attributes.get(name):
            marks.append((kind, tuple(sorted(dims))))
    if marks:
        for dim in sorted(attributes.get("_dynamo_dynamic_range", ()), key=lambda r: r.dim):
            if dim.min is not None or dim.max is not None:
                marks.append(("range", (dim.dim, dim.min, dim.max)))
        for dim, (low, high) in sorted(attributes.get("_dynamo_unbacked_bounds", {}).items()):
            marks.append(("bounds", (dim, low, high)))
    return tuple(marks)


def _same(value: Any, _call: _Call, _depth: int) -> Hashable:
    plain: Hashable = value
    return plain


def _text(value: str, _call: _Call, _depth: int) -> Hashable:
    return value if len(value) <= MOST_TEXT else LongText(len(value), hash(value))


def _bool(value: bool, _call: _Call, _depth: int) -> Hashable:
    return _true if value else _false


def _float(value: float, _call: _Call, _depth: int) -> Hashable:
    return _new(FloatKey, (value if value == value else "nan", "float"))


def _items(value: list[Any] | tuple[Any, ...], call: _Call, depth: int) -> Hashable:
    kind = "list" if type(value) is list else "tuple"
    call[0] -= len(value)
    if call[0] < 0 or depth >= MOST_DEPTH:
        return UnknownKey(kind)
    return ItemsKey(kind, tuple([_key(item, call, depth + 1) for item in value]))


def _dict(value: dict[Any, Any], call: _Call, depth: int) -> Hashable:
    call[0] -= len(value)
    if call[0] < 0 or depth >= MOST_DEPTH or not all(type(name) is str for name in value):
        return UnknownKey("dict")
    parts = tuple([_key(part, call, depth + 1) for part in value.values()])
    return DictKey(tuple(value), parts)


def _unknown(value: Any, _call: _Call, _depth: int) -> Hashable:
    return UnknownKey(type(value).__name__)


def _printed(value: Any, _call: _Call, _depth: int) -> Hashable:
    return OpaqueKey(str(value))


def _function(value: types.FunctionType, _call: _Call, _depth: int) -> Hashable:
    if value.__closure__:
        return UnknownKey("function")  # what it closes over is guarded as well
    code = value.__code__
    return OpaqueKey(f"{code.co_name} ({code.co_filename}:{code.co_firstlineno})")


def _other(value: Any, call: _Call, depth: int) -> Hashable:
    kind = type(value)
    if isinstance(value, torch.Tensor):
        return _any_layout(value, call, depth)
    if isinstance(value, enum.Enum):
        return OpaqueKey(f"{kind.__name__}.{value.name}")
    if isinstance(value, type):
        return OpaqueKey(f"{value.__module__}.{value.__qualname__}")
    name = kind.__name__
    known = _first_objects.get(kind)
    if known is None:
        try:
            known = weakref.ref(value)
        except TypeError:
            return UnknownKey(name)
        if len(_first_objects) >= MOST_VALUES:
            return UnknownKey(name)
        _first_objects[kind] = known
    return FirstObject(name) if known() is value else UnknownKey(name)


_handlers: dict[type, _Handler] = {
    _Tensor: _plain_tensor,
    _Parameter: _plain_tensor,
    int: _same,
    type(None): _same,
    str: _text,
    bool: _bool,
    float: _float,
    list: _items,
    tuple: _items,
    torch.Size: _items,
    dict: _dict,
    torch.dtype: _printed,
    torch.device: _printed,
    torch.layout: _printed,
    torch.memory_format: _printed,
    torch.SymInt: _unknown,
    torch.SymFloat: _unknown,
    torch.SymBool: _unknown,
    complex: _printed,
    bytes: lambda value, call, depth: LongText(len(value), hash(value)),
    types.FunctionType: _function,
}
