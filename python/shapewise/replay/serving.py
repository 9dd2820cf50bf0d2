"""Sizes that are served in several ways, each by compiled functions of its own.

As people write it: serve(x, 1, 1..64:64|65..512:dynamic|513..1024:aligned 8|1025..:eager); of
several inputs that are as long: serve(x:1, labels:1=-100, 1..64:64|65..:dynamic).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .errors import ReplayError, did_you_mean
from .json_reading import Members
from .padded_dims import MEMBERS, PaddedDim, read_padded_dim

__all__ = ["WAYS", "Serving", "Span", "serving_of_json", "span_of_text"]

WAYS = ("static", "dynamic", "aligned", "range", "eager")

SPAN = re.compile(r"(\d+)\.\.(\d*)\s*:\s*(?:(dynamic|range|eager)|(aligned\s+)?(\d+))")


@dataclass(frozen=True)
class Span:
    """A stretch of sizes."""

    first: int
    last: int | None  # None: however large
    way: str  # one of WAYS
    size: int = 0  # static: what is padded to; aligned: the multiple


@dataclass(frozen=True)
class Serving:
    """How sizes are served; those in no stretch by the dynamic graph.

    That of the first dim chooses. The others are padded up to the size that it is padded to, and
    marked as it is.
    """

    dims: tuple[PaddedDim, ...]  # not empty
    spans: tuple[Span, ...]  # ascending, apart from each other

    @property
    def pads(self) -> bool:
        """Whether inputs are padded."""
        return any(span.way in ("static", "aligned") for span in self.spans)

    def given(self) -> list[tuple[int, int | None, str, int]]:
        """The stretches as `serve_part` takes them."""
        return [(span.first, span.last, span.way, span.size) for span in self.spans]


def span_of_text(text: str) -> dict[str, Any]:
    """A range from JSON. Raises ReplayError if it is invalid."""
    match = SPAN.fullmatch(text)
    if not match:
        raise ReplayError(f"'{text}' is no stretch of sizes: 1..64:64, 65..512:dynamic")
    first, last, word, aligned, size = match.groups()
    way = word or ("aligned" if aligned else "static")
    given: dict[str, Any] = {"first": int(first), "last": int(last) if last else None, "way": way}
    if size:
        given["size"] = int(size)
    return given


def serving_of_json(value: Any, place: str) -> Serving | None:
    """How sizes are served, checked; None if it is missing."""
    if value is None:
        return None
    members = Members(value, place, (*MEMBERS, "spans", "also"))
    also = enumerate(members.items("also"))
    others = [Members(item, f"{members.at('also')}[{i}]", MEMBERS) for i, item in also]
    dims = tuple(read_padded_dim(given) for given in (members, *others))
    items = members.items("spans")
    spans = tuple(_span(item, f"{members.at('spans')}[{i}]") for i, item in enumerate(items))
    if not spans:
        raise ReplayError(f"{members.at('spans')}: expected at least one range")
    for before, span in pairwise(spans):
        if before.last is None or before.last >= span.first:
            raise ReplayError(f"{members.at('spans')}: they ascend and do not overlap")
    return Serving(dims, spans)


def _span(value: Any, place: str) -> Span:
    members = Members(value, place, ("first", "last", "way", "size"))
    way = members.required_text("way")
    if way not in WAYS:
        raise ReplayError(f"{place}.way: unknown way '{way}'{did_you_mean(way, WAYS)}")
    first, last = members.integer("first", 0), members.optional_integer("last")
    size = members.integer("size", 0)
    if last is not None and last < first:
        raise ReplayError(f"{place}: it ends before it begins")
    if way == "range" and last is None:
        raise ReplayError(f"{place}: a range has an end")
    if way == "static" and (last is None or size < last):
        raise ReplayError(f"{place}: {size} does not hold all sizes of it")
    if way == "aligned" and size < 1:
        raise ReplayError(f"{place}.size: expected a multiple")
    return Span(first, last, way, size)
