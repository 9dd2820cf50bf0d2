"""Results of calls in a few numbers, so that two runs can be compared. Imports torch.

A tensor becomes its shape, its mean magnitude and some of its elements at fixed places. Nothing
here draws random numbers or changes a tensor.
"""

from __future__ import annotations

import math
from typing import Any

import torch
import torch.utils._pytree as pytree

__all__ = ["summary_of"]

MOST_VALUES = 32  # of one call
SAMPLES = 16  # of one tensor
CHUNK = 1 << 20  # elements that are read at a time: the peak of memory stays the program's


def summary_of(result: Any) -> list[Any] | None:
    """The values of a result, in order; None if it contains nothing that can be compared."""
    values = [_value(leaf) for leaf in pytree.tree_leaves(result)[:MOST_VALUES]]
    known = [value for value in values if value is not None]
    return known or None


def _value(leaf: Any) -> Any:
    if isinstance(leaf, torch.Tensor):
        return _tensor(leaf)
    if isinstance(leaf, bool | int | str):
        return {"is": repr(leaf)[:80]}
    if isinstance(leaf, float):
        return _numbers([], str(float), abs(leaf) if math.isfinite(leaf) else 0.0, [leaf])
    return None


def _tensor(tensor: torch.Tensor) -> Any:
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter)
    if not plain or tensor.layout != torch.strided or tensor.is_meta or tensor.is_quantized:
        return None
    with torch.no_grad():
        flat: Any = tensor.detach().reshape(-1)
        if flat.is_complex():
            flat = torch.view_as_real(flat.resolve_conj()).reshape(-1)
        count = flat.numel()
        size = list(tensor.size())
        dtype = str(tensor.dtype).removeprefix("torch.")
        if count == 0:
            return _numbers(size, dtype, 0.0, [])
        sums = torch.zeros(2, dtype=torch.float64, device=flat.device)
        for chunk in flat.split(CHUNK):
            finite = chunk.double().nan_to_num(0.0, 0.0, 0.0)
            sums += torch.stack((finite.abs().sum(), finite.sum()))
        magnitude, total = sums.tolist()
        places = sorted({i * (count - 1) // (SAMPLES - 1) for i in range(SAMPLES)})
        sample = flat[torch.tensor(places, device=flat.device)].double().tolist()
        return _numbers(size, dtype, magnitude / count, [*sample, total / count])


def _numbers(size: list[int], dtype: str, scale: float, sample: list[float]) -> dict[str, Any]:
    # JSON has no infinite numbers: as texts they are equal or not.
    numbers = [number if math.isfinite(number) else str(number) for number in sample]
    return {"size": size, "dtype": dtype, "scale": scale, "sample": numbers}
