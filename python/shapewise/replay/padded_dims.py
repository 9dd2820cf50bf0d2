"""Dims of inputs that are padded, and their padding values."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .errors import ReplayError
from .json_reading import Members

__all__ = ["PaddedDim", "fill_of_text", "padded_dim_of_text", "read_dim", "read_padded_dim"]

MEMBERS = ("arg", "dim", "fill")


@dataclass(frozen=True)
class PaddedDim:
    """A dim of an input that is padded together with others."""

    source: str
    dim: int
    fill: float = 0


def read_padded_dim(members: Members) -> PaddedDim:
    """The members `arg`, `dim` and `fill`, checked."""
    return PaddedDim(
        members.required_text("arg"), read_dim(members, least=0), members.finite("fill", 0)
    )


def read_dim(members: Members, least: int | None) -> int:
    """The member `dim`; None: it may count from the end."""
    dim = members.optional_integer("dim")
    if dim is None or (least is not None and dim < least):
        raise ReplayError(f"{members.at('dim')}: expected the number of a dim")
    return dim


def padded_dim_of_text(text: str) -> dict[str, Any] | None:
    """Dim 1 of x for "x:1", padded with -100 for "x:1=-100", as in JSON; None if it is not a dim.

    What begins with a digit is a stretch of sizes.
    """
    source, _, given = text.rpartition(":")
    dim, is_filled, fill = given.partition("=")
    if not source or source[0].isdecimal() or not dim.strip().isdecimal():
        return None
    value: dict[str, Any] = {"arg": source.strip(), "dim": int(dim)}
    if is_filled:
        value["fill"] = fill_of_text(fill)
    return value


def fill_of_text(text: str) -> float:
    """A number to pad with. Raises ReplayError if it is not a number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ReplayError(f"'{text}' is no number to pad with")
    return int(number) if number.is_integer() else number
