"""Call records (analyzer/docs/call-records.md): the arguments of each call, in order."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import ReplayError

__all__ = ["Call", "History", "read_history"]

MOST_CALLS = 1 << 24  # of one function; what comes later is counted and left out
GRAD_MODES = ("on", "off", "inference")

FunctionKey = tuple[str, str, int]


@dataclass(frozen=True)
class Call:
    """One distinct call."""

    inputs: dict[str, Any]  # as recorded
    grad: str  # one of GRAD_MODES
    state: str  # other global state, "" if the default
    stance: str
    wrapper: int
    key: str  # equal calls have equal keys


@dataclass
class History:
    """The calls of one function of one process."""

    function: str = ""
    distinct: list[Call] = field(default_factory=list)
    order: list[int] = field(default_factory=list)  # indices into `distinct`
    damaged_lines: int = 0
    other_calls: int = 0  # of other functions or processes, or beyond MOST_CALLS


def read_history(path: Path, function: str = "") -> History:
    """The calls of `function` in a file, or of the most frequent function.

    With several ranks, those of the least. Raises ReplayError if there is no such call.
    """
    histories: dict[tuple[int, FunctionKey], History] = {}
    seen: dict[tuple[int, FunctionKey], dict[str, int]] = {}
    damaged = 0
    for line in _lines(path):
        record = _record(line)
        if record is None:
            damaged += 1
            continue
        if "inputs" not in record:  # a head
            continue
        owner = (record.get("rank", 0), _function_of(record))
        history = histories.setdefault(owner, History(owner[1][0]))
        known = seen.setdefault(owner, {})
        call = _call(record)
        index = known.setdefault(call.key, len(history.distinct))
        if index == len(history.distinct):
            history.distinct.append(call)
        times = record.get("times", 1)
        room = MOST_CALLS - len(history.order)
        history.order.extend([index] * min(times, room))
        history.other_calls += max(0, times - room)
    chosen = _choose(histories, function, path)
    total = sum(len(history.order) for history in histories.values())
    chosen.other_calls += total - len(chosen.order)
    chosen.damaged_lines = damaged
    return chosen


def _lines(path: Path) -> Iterator[str]:
    try:
        if path.suffix == ".gz":
            with gzip.open(path, "rt", encoding="utf-8", errors="replace") as packed:
                yield from packed
        else:
            with path.open(encoding="utf-8", errors="replace") as lines:
                yield from lines
    except (OSError, EOFError) as error:
        raise ReplayError(f"{path}: {error}") from None


def _record(line: str) -> dict[str, Any] | None:
    """The object of a line; None if it is damaged."""
    if not line.strip():
        return {}
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(record, dict):
        return None
    if "inputs" not in record:
        return record if set(record) == {"schema"} else None
    times = record.get("times", 1)
    is_whole = (
        isinstance(record["inputs"], dict)
        and isinstance(times, int)
        and 1 <= times <= MOST_CALLS
        and record.get("grad", "on") in GRAD_MODES
        and all(isinstance(record.get(name, 0), int) for name in ("line", "rank", "wrapper"))
        and all(isinstance(record.get(name, ""), str) for name in ("function", "file", "state"))
    )
    return record if is_whole else None


def _function_of(record: dict[str, Any]) -> FunctionKey:
    return record.get("function", ""), record.get("file", ""), record.get("line", 0)


def _call(record: dict[str, Any]) -> Call:
    grad = record.get("grad", "on")
    state = record.get("state", "")
    stance = record.get("stance", "default")
    wrapper = record.get("wrapper", 0)
    inputs = record["inputs"]
    key = json.dumps([inputs, grad, state, stance, wrapper], sort_keys=True)
    return Call(inputs, grad, state, stance, wrapper, key)


def _choose(
    histories: dict[tuple[int, FunctionKey], History], function: str, path: Path
) -> History:
    if not histories:
        raise ReplayError(
            f"{path}: it contains no call records (one JSON object per line, with 'inputs')"
        )
    first_rank = min(rank for rank, _ in histories)
    of_rank = {key: history for (rank, key), history in histories.items() if rank == first_rank}
    if function:
        named = {key: history for key, history in of_rank.items() if key[0] == function}
        if not named:
            known = ", ".join(sorted({key[0] or "(no name)" for key in of_rank}))
            raise ReplayError(f"{path}: no call of '{function}'; it has {known}")
        of_rank = named
    counts = Counter({key: len(history.order) for key, history in of_rank.items()})
    return of_rank[max(sorted(counts), key=lambda key: counts[key])]
