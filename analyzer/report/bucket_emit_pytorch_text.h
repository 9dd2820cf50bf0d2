// Parts of the Python module for torch.compile. Placeholders are between two @.

#ifndef SHAPEWISE_REPORT_BUCKET_EMIT_PYTORCH_TEXT_H_
#define SHAPEWISE_REPORT_BUCKET_EMIT_PYTORCH_TEXT_H_

#include <string_view>

namespace shapewise {

/// The start of every module.
inline constexpr std::string_view kImportsPart = R"(
from __future__ import annotations

)";

/// Pads and marks static.
inline constexpr std::string_view kPadPart = R"(

def _padded(tensor: torch.Tensor, sizes: dict[int, int], value: float) -> torch.Tensor:
    """`tensor` with dim `d` padded at its end to `sizes[d]`, and kept static there."""
    widths = [0] * (2 * tensor.dim())
    for dim, size in sizes.items():
        widths[2 * (tensor.dim() - 1 - dim) + 1] = size - tensor.shape[dim]
    if any(widths):
        tensor = torch.nn.functional.pad(tensor, widths, value=value)
    # Without this mark the second size makes Dynamo compile a dynamic graph, which from
    # then on serves the other sizes as well: padding and a slower graph.
    torch._dynamo.mark_static(tensor, list(sizes))
    return tensor
)";

/// One dim: selects a bucket and pads to it.
inline constexpr std::string_view kLinePart = R"(

def bucket_for(size: int) -> int | None:
    """The smallest bucket of at least `size`; None: it is larger than all."""
    at = bisect_left(BUCKETS, size)
    return BUCKETS[at] if at < len(BUCKETS) else None


def pad_to_bucket(tensor: torch.Tensor, dim: int, value: float = 0) -> torch.Tensor:
    """`tensor` padded with `value` to the next bucket; as it is if there is none.

    The model has to mask what is padded. Do this outside of what is compiled.
    """
    dim %= tensor.dim()
    bucket = bucket_for(tensor.shape[dim])
    return tensor if bucket is None else _padded(tensor, {dim: bucket}, value)
)";

/// The same for several dims.
inline constexpr std::string_view kJointPart = R"(

def bucket_for(*sizes: int) -> tuple[int, ...] | None:
    """The cheapest bucket that holds `sizes`; None: none does."""
    for bucket in BUCKETS:
        if all(size <= limit for size, limit in zip(sizes, bucket, strict=True)):
            return bucket
    return None


def pad_to_bucket(
    tensor: torch.Tensor,
    bucket: tuple[int, ...] | None,
    dims: tuple[int | None, ...],
    value: float = 0,
) -> torch.Tensor:
    """`tensor` padded with `value` to `bucket`; as it is if that is None.

    `dims` are the dims of `tensor` that the plan's sizes are of; None: it has no such.
    The model has to mask what is padded. Do this outside of what is compiled.
    """
    if bucket is None:
        return tensor
    pairs = zip(dims, bucket, strict=True)
    sizes = {dim % tensor.dim(): size for dim, size in pairs if dim is not None}
    return _padded(tensor, sizes, value)
)";

/// Calls beyond the buckets. @SIZE@: the parameter, @SIZES@: its name, @UNPACKED@: as arguments.
inline constexpr std::string_view kCallPart = R"(

def call(
    compiled: Callable[..., T], @SIZE@, *args: Any, **kwargs: Any
) -> T:
    """Calls `compiled` with inputs of @SIZES@; beyond the buckets it runs eager.

    A graph for such a call would be dynamic and take over the sizes of the buckets.
    """
    if bucket_for(@UNPACKED@) is not None:
        return compiled(*args, **kwargs)
    with torch.compiler.set_stance("force_eager"):
        return compiled(*args, **kwargs)
)";

/// @ITEM@: the type of a bucket, @VARIABLE@: its name.
inline constexpr std::string_view kWarmUpPart = R"(

def warm_up(
    compiled: Callable[..., Any],
    make_input: Callable[[@ITEM@], tuple[Any, ...]],
) -> None:
    """Compiles every bucket before the first real call.

    `make_input` gives the arguments of a call of these very sizes, each tensor made by
    pad_to_bucket as in a real call.
    """
    for @VARIABLE@ in WARM_UP:
        compiled(*make_input(@VARIABLE@))
)";

/// @WHEN@: which sizes are marked, @RANGE@: arguments of mark_dynamic.
inline constexpr std::string_view kDynamicPart = R"(

def mark(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """Asks for a graph that serves all sizes of `dim`, from its first call on.

    Sizes 0 and 1 get graphs of their own: Dynamo takes them for constants.
    """
    if tensor.shape[dim] @WHEN@:
        torch._dynamo.mark_dynamic(tensor, dim@RANGE@)
    return tensor
)";

/// Buckets together with a dynamic graph.
inline constexpr std::string_view kMixedPart = R"(

def padded_size(size: int) -> int | None:
    """What `size` is padded to for a static graph; None: it is for the dynamic one."""
    for first, last, _ in DYNAMIC:
        if first <= size <= last:
            return None
    at = bisect_left(BUCKETS, size)
    return BUCKETS[at] if at < len(BUCKETS) else None


def pad_to_bucket(tensor: torch.Tensor, dim: int, value: float = 0) -> torch.Tensor:
    """`tensor` padded with `value` and marked as the plan has it for its size.

    The model has to mask what is padded. Do this outside of what is compiled.
    """
    dim %= tensor.dim()
    size = tensor.shape[dim]
    bucket = padded_size(size)
    if bucket is not None:
        return _padded(tensor, {dim: bucket}, value)
    for first, last, multiple in DYNAMIC:
        if first <= size <= last and size % multiple:
            widths = [0] * (2 * tensor.dim())
            widths[2 * (tensor.dim() - 1 - dim) + 1] = -size % multiple
            tensor = torch.nn.functional.pad(tensor, widths, value=value)
    if tensor.shape[dim] > 1:  # Dynamo takes 0 and 1 for constants
        torch._dynamo.mark_dynamic(tensor, dim)
    return tensor


class Planned(Generic[T]):
    """A model compiled twice: static graphs of buckets, and one dynamic graph.

    They are kept apart: in one cache the dynamic graph would take over the buckets.
    """

    def __init__(self, model: Callable[..., T], **options: Any) -> None:
        self.static = torch.compile(model, isolate_recompiles=True, **options)
        self.dynamic = torch.compile(model, isolate_recompiles=True, **options)

    def __call__(self, size: int, *args: Any, **kwargs: Any) -> T:
        """Calls the model with inputs whose size was `size` before pad_to_bucket."""
        chosen = self.dynamic if padded_size(size) is None else self.static
        return chosen(*args, **kwargs)

    def warm_up(self, make_input: Callable[[int], tuple[Any, ...]]) -> None:
        """Compiles every bucket, and the dynamic graph at the largest size it serves.

        `make_input` gives the arguments of a call of that size, each tensor made by
        pad_to_bucket as in a real call.
        """
        for size in WARM_UP:
            self(size, *make_input(size))
)";

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_BUCKET_EMIT_PYTORCH_TEXT_H_
