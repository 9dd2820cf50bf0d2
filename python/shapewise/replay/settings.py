"""Settings of torch and Inductor that policies may have: names and values that are allowed.

A policy can come out of a file that anybody wrote: what names a program, a path or code is none.
"""

from __future__ import annotations

import re
from typing import Any

from .errors import ReplayError, did_you_mean

__all__ = ["INDUCTOR", "MODES", "PRECISIONS", "read_inductor", "setting_of_text"]

MODES = ("default", "lite", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
PRECISIONS = ("highest", "high", "medium")

# Of torch._inductor.config, with the type of each. analyzer/model/compile_policy.cc holds the
# same; tests/python/test_policy.py compares them.
INDUCTOR: dict[str, type] = {
    "aggressive_fusion": bool,
    "benchmark_kernel": bool,
    "combo_kernels": bool,
    "comprehensive_padding": bool,
    "conv_1x1_as_mm": bool,
    "coordinate_descent_tuning": bool,
    "cpp_wrapper": bool,
    "emulate_precision_casts": bool,
    "epilogue_fusion": bool,
    "fallback_random": bool,
    "freezing": bool,
    "graph_partition": bool,
    "layout_optimization": bool,
    "max_autotune": bool,
    "max_autotune_gemm": bool,
    "max_autotune_pointwise": bool,
    "online_softmax": bool,
    "pattern_matcher": bool,
    "permute_fusion": bool,
    "reorder_for_locality": bool,
    "shape_padding": bool,
    "split_reductions": bool,
    "triton.cudagraph_capture_sizes": tuple,
    "triton.cudagraph_dynamic_shape_warn_limit": int,
    "triton.cudagraph_skip_dynamic_graphs": bool,
    "triton.cudagraph_support_input_mutation": bool,
    "triton.cudagraphs": bool,
    "triton.multi_kernel": int,
    "triton.persistent_reductions": bool,
    "triton.prefer_nd_tiling": bool,
}


def read_inductor(given: dict[str, Any], place: str) -> dict[str, Any]:
    """Settings of Inductor, checked. Raises ReplayError for an unknown setting or value."""
    return {name: _checked(name, value, place) for name, value in given.items()}


def _checked(name: str, value: Any, place: str) -> Any:
    kind = INDUCTOR.get(name)
    if kind is None:
        raise ReplayError(f"{place}: no setting '{name}'{did_you_mean(name, INDUCTOR)}")
    if kind is tuple:
        numbers = value if isinstance(value, list | tuple) else ()
        if numbers and all(_is_number(number) and number > 0 for number in numbers):
            return tuple(numbers)
    elif (kind is bool and isinstance(value, bool)) or (
        kind is int and _is_number(value) and value >= 0
    ):
        return value
    raise ReplayError(f"{place}.{name}: it cannot be {value!r}")


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def setting_of_text(text: str) -> Any:
    """The value of a setting as Python prints it, or sizes between '|': (8, 16), 8|16."""
    words = {"True": True, "False": False, "true": True, "false": False}
    if text in words:
        return words[text]
    numbers = [part for part in re.split(r"[|,\s]+", text.strip("()[] ")) if part]
    if numbers and all(part.isdecimal() for part in numbers):
        is_list = len(numbers) > 1 or not text.isdecimal()
        return [int(part) for part in numbers] if is_list else int(numbers[0])
    return text
