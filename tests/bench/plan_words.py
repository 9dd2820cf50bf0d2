"""Plans of `shapewise buckets`, and what people do without one, in the words of `predict --policy`.

Inputs that are padded together are told as {name: what padding of it holds}; dim 1 of each is meant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

DEFAULT_LIMIT = 8

Fills = Mapping[str, float]


def for_each(fills: Fills, what: str) -> str:
    """What is done to all: mark_static(x, 1) + mark_static(y, 1)."""
    return " + ".join(f"{what}({name}, 1)" for name in fills)


def padded(fills: Fills, sizes: Sequence[int], mark: str | None) -> str:
    """All padded up to the next of `sizes`, and marked."""
    listed = "|".join(map(str, sizes))
    fill = {name: f", fill={told:g}" if told else "" for name, told in fills.items()}
    words = [f"buckets({name}, 1, {listed}{fill[name]})" for name in fills]
    if mark is not None:
        words.append(for_each(fills, mark))
    if mark == "mark_static":
        words += limit_for(len(sizes))
    return " + ".join(words)


def limit_for(graphs: int) -> list[str]:
    """The limit that so many graphs of one function need."""
    return [f"limit {graphs}"] if graphs > DEFAULT_LIMIT else []


def words_of_plan(plan: Mapping[str, Any], fills: Fills) -> str:
    """What the plan recommends, and nothing else."""
    mode = plan["recommend"]["mode"]
    if mode == "dynamic":
        return for_each(fills, "mark_dynamic")
    if mode != "mixed":
        return padded(fills, plan["boundaries"], "mark_static")
    served = plan["served"]
    spans = []
    for span, following in zip(served, [*served[1:], None], strict=True):
        # A bucket may be larger than what it serves: the next stretch begins below it.
        last = span["last"] if following is None else min(span["last"], following["first"] - 1)
        way = {"bucket": str(span["last"]), "dynamic-range": "range"}.get(span["kind"], span["kind"])
        spans.append(f"{span['first']}..{last}:{way}")
    dims = [f"{name}:1={fill:g}" if fill else f"{name}:1" for name, fill in fills.items()]
    buckets = sum(span["kind"] == "bucket" for span in served)
    return " + ".join([f"serve({', '.join(dims)}, {'|'.join(spans)})", *limit_for(buckets)])
