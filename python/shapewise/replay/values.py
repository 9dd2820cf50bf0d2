"""Values of recorded calls, created again, padded and marked. Needs torch.

Written programs hold this file as it is, so it imports nothing of the package.
"""

from __future__ import annotations

import contextlib
import inspect
import math
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

# What record/describe.py writes for the object of a method of (*args).
OWNER = {"opaque": "the object of the method"}

Ranges = Mapping[str, Sequence[float]]
Path = tuple[str | int, ...]
Dim = tuple[Path, int, float]  # of the tensor at a path, and what padding holds


class NotRecordedError(Exception):
    """The record of a value is too incomplete to make one."""


class ValueMaker:
    """Makes values from records. Equal records make equal values."""

    def __init__(self, seed: int, device: str, ranges: Ranges) -> None:
        self.seed = seed
        self.device = device
        self.ranges = ranges
        self.objects: dict[int, torch.Tensor] = {}  # of this call: those that are one tensor

    def call(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """All values of a call, except those that cannot be made."""
        self.objects = {}
        made: dict[str, Any] = {}
        for name, given in inputs.items():
            try:
                made[name] = self.value(given, name)
            except NotRecordedError:
                continue
        return made

    def value(self, given: Any, name: str) -> Any:
        """One value; `name` distinguishes it from the others of its call."""
        if not isinstance(given, dict):
            return given
        if "size" in given:
            return self.tensor(given, name)
        if "float" in given:
            return float(given["float"])
        if "list" in given:
            return [self.value(part, f"{name}[{i}]") for i, part in enumerate(given["list"])]
        if "tuple" in given:
            parts = [part for part in given["tuple"] if part != OWNER]
            return tuple(self.value(part, f"{name}[{i}]") for i, part in enumerate(parts))
        if "dict" in given:
            return {
                key: self.value(part, f"{name}['{key}']") for key, part in given["dict"].items()
            }
        raise NotRecordedError(name)

    def tensor(self, given: Mapping[str, Any], name: str) -> torch.Tensor:
        """A tensor of random numbers with the given size, stride, dtype and device."""
        number = given.get("object", 0)
        if number in self.objects:
            return self.objects[number]
        with torch.inference_mode(given.get("keys") == "inference"):
            tensor = self._strided(given, name)
        if given.get("type") == "Parameter":
            tensor = torch.nn.Parameter(tensor, requires_grad=given.get("requires_grad", True))
        elif given.get("requires_grad"):
            tensor.requires_grad_(True)
        for mark in given.get("marks", ()):
            put_mark(tensor, mark["dim"], mark["kind"], mark.get("min"), mark.get("max"))
        if number:
            self.objects[number] = tensor
        return tensor

    def _strided(self, given: Mapping[str, Any], name: str) -> torch.Tensor:
        size = given["size"]
        stride = given.get("stride")
        if stride is None:
            stride = [math.prod(size[i + 1 :]) for i in range(len(size))]
        offset = given.get("offset", 0)
        last = sum((length - 1) * step for length, step in zip(size, stride, strict=True))
        count = offset + 1 + last if 0 not in size else offset
        dtype = getattr(torch, given.get("dtype", "float32").removeprefix("torch."))
        is_host = str(given.get("device", "")).startswith("cpu")
        flat = self._numbers(count, dtype, "cpu" if is_host else self.device, name, size)
        # No view of another tensor: torch.compile traces those through their base.
        whole = torch.empty(0, dtype=dtype, device=flat.device)
        return whole.set_(flat.untyped_storage(), offset, size, stride)

    def _numbers(
        self, count: int, dtype: torch.dtype, device: str, name: str, size: Sequence[int]
    ) -> torch.Tensor:
        generator = torch.Generator(device=device)
        generator.manual_seed(zlib.crc32(f"{self.seed} {name} {list(size)}".encode()))
        bounds = self.ranges.get(name)
        if dtype == torch.bool:
            return torch.randint(0, 2, (count,), generator=generator, device=device).bool()
        if not (dtype.is_floating_point or dtype.is_complex):
            least, end = (int(bound) for bound in bounds or (0, 2))
            return torch.randint(least, end, (count,), generator=generator, device=device).to(dtype)
        if dtype.is_complex:
            return torch.randn(count, dtype=dtype, generator=generator, device=device)
        if bounds is None:
            return torch.randn(count, generator=generator, device=device).to(dtype)
        low, high = bounds
        return (low + (high - low) * torch.rand(count, generator=generator, device=device)).to(
            dtype
        )


def put_mark(tensor: torch.Tensor, dim: int, kind: str, low: int | None, high: int | None) -> None:
    """Marks a dim for torch.compile; ignores a dim that the tensor does not have."""
    if dim >= tensor.dim():
        return
    bounds = {name: bound for name, bound in (("min", low), ("max", high)) if bound is not None}
    dynamo: Any = torch._dynamo
    if kind == "dynamic":
        dynamo.mark_dynamic(tensor, dim, **bounds)
    elif kind == "maybe":
        dynamo.maybe_mark_dynamic(tensor, dim)
    elif kind == "static":
        dynamo.mark_static(tensor, dim)
    else:
        dynamo.decorators.mark_unbacked(tensor, dim, **bounds)


def padded_size(size: int, sizes: Sequence[int]) -> int:
    """The smallest of `sizes` that fits `size`; else `size` itself."""
    return min((bucket for bucket in sizes if bucket >= size), default=size)


def pad(tensor: torch.Tensor, dim: int, sizes: Sequence[int], fill: float) -> torch.Tensor:
    """`tensor` with `dim` padded with `fill` to the next of `sizes`."""
    if dim >= tensor.dim():
        return tensor
    size = padded_size(tensor.size(dim), sizes)
    if size == tensor.size(dim):
        return tensor
    longer = list(tensor.size())
    longer[dim] = size
    with torch.no_grad():
        padded = tensor.new_full(longer, fill)
        padded.narrow(dim, 0, tensor.size(dim)).copy_(tensor)
    return padded.requires_grad_(tensor.requires_grad)


def mask_of(tensor: torch.Tensor, dim: int, sizes: Sequence[int]) -> torch.Tensor:
    """1 for real elements of `tensor`, which is not yet padded in `dim`, then 0: (rows, size)."""
    real = tensor.size(dim)
    rows = tensor.size(0) if dim > 0 else 1
    mask = torch.zeros(rows, padded_size(real, sizes), dtype=torch.int64, device=tensor.device)
    mask[:, :real] = 1
    return mask


def part_of(arguments: Mapping[str, Any], path: Path) -> Any:
    """The value at `path` in the arguments; None if it is missing."""
    value: Any = arguments
    for step in path:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return None
    return value


def size_of(arguments: Mapping[str, Any], path: Path, dim: int) -> int | None:
    """The size of a dim of the tensor at `path`; None if it is missing."""
    tensor = part_of(arguments, path)
    is_there = isinstance(tensor, torch.Tensor) and dim < tensor.dim()
    return tensor.size(dim) if is_there else None


def replace_part(value: Any, path: Path, part: Any) -> Any:
    """`value` with `part` at `path`, changed in place except for tuples, which are copied."""
    if not path:
        return part
    step, rest = path[0], path[1:]
    changed = replace_part(
        None if not rest and isinstance(value, dict) else value[step], rest, part
    )
    if isinstance(value, tuple):
        return tuple(changed if i == step else other for i, other in enumerate(value))
    value[step] = changed
    return value


def pad_part(
    values: dict[str, Any], path: Path, dim: int, sizes: Sequence[int], fill: float
) -> tuple[int, int] | None:
    """Pads the tensor at `path`, if there is one; (real size, padded size) if that changed it."""
    tensor = part_of(values, path)
    if not isinstance(tensor, torch.Tensor) or dim >= tensor.dim():
        return None
    padded = pad(tensor, dim, sizes, fill)
    if padded is tensor:
        return None
    replace_part(values, path, padded)
    return tensor.size(dim), padded.size(dim)


def pad_shapes(
    values: dict[str, Any], dims: Sequence[Dim], shapes: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """Pads dims together to the first of `shapes` that fits all; returns the changes."""
    sizes: list[int] = []
    for path, dim, _ in dims:
        size = size_of(values, path, dim)
        if size is None:
            return []
        sizes.append(size)
    for shape in shapes:
        if all(size <= limit for size, limit in zip(sizes, shape, strict=True)):
            pairs = zip(dims, shape, strict=True)
            changes = [pad_part(values, *dim[:2], (size,), dim[2]) for dim, size in pairs]
            return [change for change in changes if change is not None]
    return []


def serve_part(
    values: dict[str, Any],
    dims: Sequence[Dim],
    spans: Sequence[tuple[int, int | None, str, int]],
) -> tuple[str, list[tuple[int, int]]]:
    """Pads and marks dims as the range (first, last, way, size) of the first one's size requires.

    The name of the compiled function that serves the call, and (real size, padded size) of what
    padding changed.
    """
    size = size_of(values, *dims[0][:2])
    if size is None:
        return "dynamic", []
    first, last, way, given = next(
        (span for span in spans if span[0] <= size and (span[1] is None or size <= span[1])),
        (0, None, "dynamic", 0),
    )
    if way == "eager":
        return way, []
    padded = {"static": given, "aligned": -(-size // max(given, 1)) * given}.get(way, 0)
    changes = [pad_part(values, path, dim, (padded,), fill) for path, dim, fill in dims]
    for path, dim, _ in dims:
        if way == "static":
            mark_part(values, path, dim, "static", None, None)
        elif way == "range":
            mark_part(values, path, dim, "dynamic", first, last)
        elif (size_of(values, path, dim) or 0) > 1:  # Dynamo takes 0 and 1 for constants
            mark_part(values, path, dim, "dynamic", None, None)
    name = f"range {first}" if way == "range" else way
    return name, [change for change in changes if change is not None]


def mask_part(
    values: dict[str, Any], path: Path, like: Path, dim: int, sizes: Sequence[int]
) -> None:
    """Pads the mask at `path` with 0, or makes one of the tensor at `like`, not yet padded."""
    tensor = part_of(values, like)
    if not isinstance(tensor, torch.Tensor) or dim >= tensor.dim():
        return
    mask = part_of(values, path)
    if mask is None:
        replace_part(values, path, mask_of(tensor, dim, sizes))
    elif isinstance(mask, torch.Tensor):
        replace_part(values, path, pad(mask, mask.dim() - 1, sizes, 0))


def mark_part(
    values: dict[str, Any], path: Path, dim: int, kind: str, low: int | None, high: int | None
) -> None:
    """Marks a dim of the tensor at `path`, if there is one."""
    tensor = part_of(values, path)
    if isinstance(tensor, torch.Tensor):
        put_mark(tensor, dim, kind, low, high)


def bind(
    signature: inspect.Signature, values: Mapping[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """Positional and keyword arguments for values by name.

    As many as can be are given by position: an exported module takes them so. Raises
    NotRecordedError if one is missing.
    """
    positional: list[Any] = []
    by_name: dict[str, Any] = {}
    can_be_positional = True
    for name, parameter in signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            positional.extend(values.get(name, ()) if can_be_positional else ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            by_name.update(values.get(name, {}))
        elif name not in values:
            if parameter.default is parameter.empty:
                raise NotRecordedError(
                    f"no call contains the argument '{name}', or enough to make it"
                )
            can_be_positional = False
        elif can_be_positional and parameter.kind is not parameter.KEYWORD_ONLY:
            positional.append(values[name])
        else:
            by_name[name] = values[name]
    return positional, by_name


@contextlib.contextmanager
def call_context(grad: str, state: str, device: str) -> Iterator[None]:
    """Grad mode and other state of a call. Raises NotRecordedError if that is not known."""
    modes: dict[str, Callable[[], Any]] = {"off": torch.no_grad, "inference": torch.inference_mode}
    with modes.get(grad, torch.enable_grad)(), contextlib.ExitStack() as stack:
        for part in filter(None, (part.strip() for part in state.replace(";", ",").split(","))):
            name, _, value = part.partition("=")
            dtype = getattr(torch, value, None)
            if name != "autocast" or not isinstance(dtype, torch.dtype):
                raise NotRecordedError(f"a call's state '{part}' is not known: autocast=DTYPE is")
            stack.enter_context(torch.autocast(torch.device(device).type, dtype=dtype))
        yield


def uncompiled(value: Any) -> Any:
    """What torch.compile was given, if it was given this."""
    for name in ("_orig_mod", "_torchdynamo_orig_callable"):
        inner = getattr(value, name, None)
        if inner is not None:
            return inner
    return value
