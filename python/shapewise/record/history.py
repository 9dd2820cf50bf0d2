"""The calls of one function: runs in order at first, then counts of distinct calls."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .files import Line

if TYPE_CHECKING:
    from .samples import Form

__all__ = ["MOST_TIMES", "Changes", "History", "Limits"]

MOST_TIMES = 1 << 24  # of a line, as its reader allows

Describe = Callable[[], "str | None"]


@dataclass(frozen=True)
class Limits:
    """Limits of memory and files."""

    ordered: int = 10_000  # runs of equal calls of a function that are kept in order
    ordered_of_all: int = 50_000  # the same, of all functions of the process
    distinct: int = 4096  # calls of a function that are counted after that
    text_bytes: int = 8 << 20  # of the texts of those


@dataclass
class Changes:
    """Pending writes of one kind of lines."""

    new: list[Line] = field(default_factory=list)
    changed: list[Line] = field(default_factory=list)
    given_up: list[Line] = field(default_factory=list)

    def take(self) -> tuple[list[tuple[Line, list[int]]], list[tuple[Line, list[int]]], list[Line]]:
        """Lines to add and lines to change, with their current numbers, and lines to drop, since
        the last call."""
        taken = []
        for lines in (self.new, self.changed):
            current = [line for line in lines if not line.is_given_up]
            for line in current:
                line.written = line.numbers[0]
            taken.append([(line, list(line.numbers)) for line in current])
        given_up = self.given_up
        self.new, self.changed, self.given_up = [], [], []
        return taken[0], taken[1], given_up

    def count(self, line: Line, number: int = 1) -> None:
        """Increments the count of a line."""
        if line.numbers[0] == line.written:
            self.changed.append(line)
        line.numbers[0] += number


class _Known:
    """A distinct call."""

    __slots__ = ("counted", "form", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.counted: Line | None = None  # since order is not kept
        self.form: Form | None = None  # of the samples for probes; None: not looked up

    def times(self) -> int:
        return 0 if self.counted is None else self.counted.numbers[0]


class History:
    """The history of one function. Callers must hold the recorder's lock."""

    def __init__(self, place: str, limits: Limits, ordered: Changes, counted: Changes) -> None:
        """`place`: the members of a record that name the function, as JSON without braces."""
        self.place = place
        self._limits = limits
        self.forget(ordered, counted)

    def forget(self, ordered: Changes, counted: Changes) -> None:
        """Forgets all calls, as after a fork; new lines go to these."""
        self._ordered = ordered
        self._counted = counted
        self._is_ordered = True
        self._open: Line | None = None
        self._open_known: _Known | None = None
        self._known: dict[Hashable, _Known] = {}
        self.latest: _Known | None = None  # the last call; None: it cannot be recorded
        self._num_runs = 0
        self._text_bytes = 0
        self._dropped: Line | None = None

    def add(self, key: Hashable, describe: Describe, num_runs_of_all: int) -> int:
        """Counts a call, and returns the number of runs that it began: 0 or 1.

        `describe` gives its record, without `times` and the brace at the end; it is asked only if
        the key is not known. None: the call cannot be recorded. `num_runs_of_all`: runs
        that all functions have in order.
        """
        known = self._known.get(key)
        if known is None:
            text = describe()
            if text is None:
                self.latest = None
                return 0
            known = self._remember(key, text)
        self.latest = known
        if self._is_ordered:
            run = self._open
            if run is not None and known is self._open_known and run.numbers[0] < MOST_TIMES:
                self._ordered.count(run)
                return 0
            if self._num_runs < self._limits.ordered and (
                num_runs_of_all < self._limits.ordered_of_all
            ):
                self._num_runs += 1
                self._open, self._open_known = Line(known.text + ', "times": ', "}"), known
                self._open.numbers[0] = 1
                self._ordered.new.append(self._open)
                return 1
            self._is_ordered = False
            self._open = self._open_known = None
        line = known.counted
        if line is None or line.numbers[0] >= MOST_TIMES:
            # A line whose count is full does not change, and is not dropped any more.
            line = known.counted = Line(known.text + ', "order": false, "times": ', "}")
            line.numbers[0] = 1
            self._counted.new.append(line)
        else:
            self._counted.count(line)
        return 0

    def _remember(self, key: Hashable, text: str) -> _Known:
        known = _Known(text)
        limits = self._limits
        is_full = (
            len(self._known) >= limits.distinct or self._text_bytes + len(text) > limits.text_bytes
        )
        if is_full and self._known:
            self._make_room()
        self._known[key] = known
        self._text_bytes += len(text)
        return known

    def _make_room(self) -> None:
        """Drop the less frequent half. Calls in order lose only their text."""
        by_times = sorted(self._known.items(), key=lambda item: item[1].times())
        calls = distinct = 0
        for key, known in by_times[: (len(by_times) + 1) // 2]:
            if known.counted is not None:
                calls += known.times()
                distinct += 1
                known.counted.is_given_up = True
                self._counted.given_up.append(known.counted)
            self._text_bytes -= len(known.text)
            del self._known[key]
        if calls:
            self._drop(calls, distinct)

    def _drop(self, calls: int, distinct: int) -> None:
        if self._dropped is None:
            head = f'{{{self.place}, "order": false, "dropped": {{"calls": '
            self._dropped = Line(head, ', "distinct": ', "}}")
            self._dropped.numbers = [calls, distinct]
            self._counted.new.append(self._dropped)
            return
        self._counted.count(self._dropped, calls)
        self._dropped.numbers[1] += distinct
