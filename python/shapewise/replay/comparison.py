"""Results under a policy, compared with eager, unpadded results. Needs torch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.utils._pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

__all__ = ["CoarsestType", "Comparison", "cut_back", "loss_of"]

# Tolerance of an element, relative to its own magnitude or the usual one of its tensor:
# other kernels add in another order.
TOLERANCES = {
    torch.float64: 1e-9,
    torch.float32: 1e-4,
    torch.float16: 5e-3,
    torch.bfloat16: 3e-2,
    torch.complex64: 1e-4,
    torch.complex128: 1e-9,
}
LEAST_SCALE = 1e-2  # what is all near 0 is not compared more finely than this
# A tenth of normally distributed numbers is within an eighth of their deviation: 40 times that is
# five deviations, which hardly any exceeds.
OUTLIER = 40
LEAST_ROW = 16  # elements, to tell what is usual in a row


@dataclass
class Comparison:
    """The result of comparing several calls."""

    tolerance: float | None = None  # in place of TOLERANCES
    rounds_products: bool = False  # the program lets matrix products of float32 be less precise
    # The coarsest type that the program computes in, such as that of torch.autocast.
    coarsest: torch.dtype | None = None
    compared: int = 0  # calls
    values: int = 0  # tensors and numbers in their results, and what they wrote
    max_abs_error: float | None = None
    differences: list[str] = field(default_factory=list)
    undecided: list[str] = field(default_factory=list)

    @property
    def verdict(self) -> bool | None:
        """Whether results are equal; None if this is not known."""
        if self.differences:
            return False
        return True if self.values and not self.undecided else None

    @property
    def why(self) -> str:
        """The first difference, or why it is not known; empty if everything is equal."""
        reasons = self.differences or self.undecided
        if reasons:
            return reasons[0]
        if self.values:
            return ""
        return "its calls give nothing to compare" if self.compared else "no call was compared"

    def compare(self, got: Any, wanted: Any, padded: Sequence[tuple[int, int]], what: str) -> None:
        """Compares results of one call, tensor by tensor, in containers of any kind."""
        mine, my_form = pytree.tree_flatten(got)
        others, their_form = pytree.tree_flatten(wanted)
        if len(mine) != len(others) or str(my_form) != str(their_form):
            self.differences.append(f"{what}: the results have another structure")
            return
        for i, (a, b) in enumerate(zip(mine, others, strict=True)):
            place = what if len(mine) == 1 else f"{what}, result {i}"
            self.values += isinstance(b, torch.Tensor | int | float)
            if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
                self._compare_tensors(a.detach(), b.detach(), padded, place)
            elif isinstance(a, int | float) and isinstance(b, int | float):
                same = a == b or (a != a and b != b) or math.isclose(a, b, rel_tol=1e-6)
                if not same:
                    self.differences.append(f"{place}: {a} instead of {b}")
            elif type(a) is not type(b):
                self.differences.append(f"{place}: {kind_of(a)} instead of {kind_of(b)}")
            elif isinstance(a, str) and a != b:
                self.differences.append(f"{place}: {a!r} instead of {b!r}")

    def _compare_tensors(
        self, got: torch.Tensor, wanted: torch.Tensor, padded: Sequence[tuple[int, int]], place: str
    ) -> None:
        if got.dtype != wanted.dtype:
            self.differences.append(f"{place}: {got.dtype} instead of {wanted.dtype}")
            return
        cut = cut_back(got, wanted.shape, padded)
        if cut is None:
            sizes = f"{list(got.shape)} where unpadded ones are {list(wanted.shape)}"
            self.differences.append(f"{place}: sizes are {sizes}")
            return
        if wanted.numel() == 0:
            return
        if not (wanted.dtype.is_floating_point or wanted.dtype.is_complex):
            apart = (cut.long() - wanted.long()).abs().max().item()
            self._note(float(apart), apart == 0, place)
            return
        exact = torch.complex128 if wanted.dtype.is_complex else torch.float64
        a, b = cut.to(exact), wanted.to(exact)
        is_same = (a == b) | (a.isnan() & b.isnan())
        magnitudes = torch.where(b.isfinite(), b.abs(), 0.0)
        scale = row_magnitudes(magnitudes).clamp_min(max(usual_magnitude(magnitudes), LEAST_SCALE))
        tolerance = self.tolerance if self.tolerance is not None else self._usual(wanted.dtype)
        errors = torch.where(is_same, 0.0, (a - b).abs())
        is_near = bool((errors <= tolerance * magnitudes.maximum(scale)).all().item())
        self._note(float(errors.max().item()), is_near, place)

    def _usual(self, dtype: torch.dtype) -> float:
        """The tolerance for results of this type. TF32 has the digits of float16."""
        computed_in = [dtype] if self.coarsest is None else [dtype, self.coarsest]
        if dtype == torch.float32 and self.rounds_products:
            computed_in.append(torch.float16)
        return max(TOLERANCES.get(one, 0.1) for one in computed_in)

    def _note(self, error: float, is_near: bool, place: str) -> None:
        if math.isfinite(error):
            self.max_abs_error = max(error, self.max_abs_error or 0.0)
        if not is_near:
            self.differences.append(f"{place}: apart by up to {error:.3g}")


class CoarsestType(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Notes the coarsest type among results of operators: float32 may have been bfloat16 before."""

    supports_higher_order_operators = True

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.dtype: torch.dtype | None = None

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Calls the operator and looks at its results."""
        results = func(*args, **(kwargs or {}))
        for result in pytree.tree_leaves(results):
            if isinstance(result, torch.Tensor) and result.dtype in TOLERANCES:
                dtypes = [result.dtype] if self.dtype is None else [result.dtype, self.dtype]
                self.dtype = max(dtypes, key=TOLERANCES.__getitem__)
        return results


def usual_magnitude(magnitudes: torch.Tensor) -> float:
    """The largest of finite magnitudes without outliers, next to which any difference is small.

    Masks put numbers such as -1e9 into tensors. The largest value is an outlier if several elements
    have it, and so is what exceeds OUTLIER times the least tenth.
    """
    nonzero = magnitudes[magnitudes != 0]
    if nonzero.numel() == 0:
        return 0.0
    is_largest = nonzero == nonzero.max()
    if int(is_largest.sum()) > 1:
        nonzero = nonzero[~is_largest]
        if nonzero.numel() == 0:
            return 0.0
    least_tenth = nonzero.kthvalue(1 + nonzero.numel() // 10).values
    return min(float(nonzero.max().item()), OUTLIER * float(least_tenth.item()))


def row_magnitudes(magnitudes: torch.Tensor) -> torch.Tensor:
    """The same as `usual_magnitude` for each row, the last dim; 0 for short ones.

    Rows of a gradient of embeddings differ by powers of ten, and so do their errors.
    """
    if magnitudes.dim() < 2 or magnitudes.size(-1) < LEAST_ROW:
        return magnitudes.new_zeros(())
    least_tenth = magnitudes.kthvalue(1 + magnitudes.size(-1) // 10, -1, keepdim=True).values
    return magnitudes.amax(-1, keepdim=True).minimum(OUTLIER * least_tenth)


def kind_of(value: Any) -> str:
    """The kind of a result, in a word."""
    return "nothing" if value is None else type(value).__name__


def cut_back(
    tensor: torch.Tensor, shape: Sequence[int], padded: Sequence[tuple[int, int]]
) -> torch.Tensor | None:
    """`tensor` cut to `shape` in dims that have a padded size; None if it cannot be.

    A dim is cut only from a size that an input was padded to, to the size that this input had.
    """
    if tensor.dim() != len(shape):
        return None
    for dim, size in enumerate(shape):
        if tensor.size(dim) == size:
            continue
        if (size, tensor.size(dim)) not in padded:
            return None
        tensor = tensor.narrow(dim, 0, size)
    return tensor


def loss_of(results: Any, like: Any = None, padded: Sequence[tuple[int, int]] = ()) -> Any:
    """The sum of all real results with a gradient, cut to the sizes of `like`; None if empty."""
    leaves = pytree.tree_leaves(results)
    others = pytree.tree_leaves(like) if like is not None else leaves
    total: Any = None
    for leaf, other in zip(leaves, others, strict=False):
        if not (isinstance(leaf, torch.Tensor) and leaf.requires_grad and leaf.is_floating_point()):
            continue
        if isinstance(other, torch.Tensor):
            cut = cut_back(leaf, other.shape, padded)
            leaf = leaf if cut is None else cut
        total = leaf.float().sum() if total is None else total + leaf.float().sum()
    return total
