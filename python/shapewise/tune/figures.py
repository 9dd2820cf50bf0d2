"""What a process of `shapewise tune` counts and measures, and writes for it. Imports torch."""

from __future__ import annotations

import json
import math
import os
import time
from pathlib import Path
from typing import Any

import torch

from ..record.recorder import rank_of_process
from ..replay.counters import DynamoCounters
from ..replay.errors import first_line
from ..replay.memory import peak_bytes
from .outputs import summary_of

__all__ = ["Figures"]

COMPARED = 64  # calls whose results are kept in a row, then every SPARSE-th
SPARSE = 16
MOST_COMPARED = 512
MOST_DURATIONS = 100_000
CONFIDENCE = 1.96  # standard deviations of 95 %


class Figures:
    """Counts from its creation on: before the first compile of the process."""

    def __init__(self, results: Path) -> None:
        self.calls = 0
        self.graphs = 0  # that were compiled
        self.graph_runs = 0
        self.compiling = 0.0  # seconds of calls that compiled
        self.problem = ""  # why the job cannot be done
        self.unmatched: list[str] = []  # marks that fit no call
        self.stopped = ""
        self._results = results
        self._counters = DynamoCounters()
        self._functions: dict[str, dict[str, int]] = {}
        self._errors = 0
        self._error: str | None = None
        self._error_call: int | None = None
        self._outputs: list[dict[str, Any]] = []
        self._durations: list[float] = []
        self._own = 0.0  # seconds that went into our own work
        self._begin = self._last_begin = self._end = self._clock()
        self._was_warm = False  # the last call compiled nothing
        self._written = 0.0

    def _clock(self) -> float:
        """Seconds as the program would have taken them without us."""
        return time.perf_counter() - self._own

    def begin_call(self) -> tuple[float, int, int]:
        """The state before a call, for end_call."""
        return self._clock(), self.graphs, self.graph_runs

    def end_call(
        self,
        begun: tuple[float, int, int],
        function: str,
        result: Any,
        error: BaseException | None,
    ) -> None:
        """A call has ended, with a result or an error."""
        begin, graphs, graph_runs = begun
        number = self.calls
        is_compared = error is None and (number < COMPARED or number % SPARSE == 0)
        is_compared &= len(self._outputs) < MOST_COMPARED
        cuda: Any = torch.cuda
        if is_compared and cuda.is_initialized():
            # Reading a result waits for its kernels, which are work of the program.
            cuda.synchronize()
        self._end = self._clock()
        began_own = time.perf_counter()
        self.calls += 1
        counts = self._functions.setdefault(function, {"calls": 0, "eager_calls": 0})
        counts["calls"] += 1
        counts["eager_calls"] += self.graph_runs == graph_runs and error is None
        if error is not None:
            self._errors += 1
            self._error = self._error or first_line(error)
            self._error_call = number if self._error_call is None else self._error_call
        # A step lasts from one call to the next: it contains what the program does in between.
        if self._was_warm and len(self._durations) < MOST_DURATIONS:
            self._durations.append(begin - self._last_begin)
        self._was_warm = self.graphs == graphs and error is None
        self.compiling += 0.0 if self.graphs == graphs else self._end - begin
        self._last_begin = begin
        if is_compared:
            self._keep_output(number, result)
        self._own += time.perf_counter() - began_own

    def _keep_output(self, number: int, result: Any) -> None:
        try:
            summary = summary_of(result)
        except Exception:  # a tensor that cannot be read now, such as a fake one
            return
        if summary is not None:
            self._outputs.append({"call": number, "values": summary})

    def write(self, is_final: bool = False) -> None:
        """Writes the figures; unless they are final, at most once a second."""
        now = time.perf_counter()
        if not is_final and now - self._written < 1:
            return
        self._results.mkdir(parents=True, exist_ok=True)
        target = self._results / f"{os.getpid()}.json"
        part = target.with_suffix(".part")
        part.write_text(json.dumps(self._report(is_final)), encoding="utf-8")
        part.replace(target)
        written = time.perf_counter()
        self._own += written - now
        # The first call that ends is written at once: it may be the only one.
        self._written = written if self.calls > 0 else 0.0

    def _report(self, is_final: bool) -> dict[str, Any]:
        counted = self._counters.report()
        cuda: Any = torch.cuda
        device = "cuda" if cuda.is_available() and cuda.is_initialized() else "cpu"
        return {
            "torch": torch.__version__,
            "device": cuda.get_device_name() if device == "cuda" else "cpu",
            "rank": rank_of_process(),
            "is_final": is_final,
            "stopped": self.stopped,
            "problem": self.problem,
            "unmatched": self.unmatched,
            "calls": self.calls,
            "functions": [{"name": name, **n} for name, n in self._functions.items()],
            "compiles": self.graphs,
            "recompiles": counted["recompiles"],
            "graph_breaks": counted["graph_breaks"],
            "limit_hits": counted["limit_hits"],
            "compile_seconds": counted["compile_seconds"],
            "eager_calls": sum(counts["eager_calls"] for counts in self._functions.values()),
            "errors": self._errors,
            "error": self._error,
            "error_call": self._error_call,
            "wall_seconds": self._end - self._begin,
            "steps_per_second": _rate(self._durations),
            "peak_bytes": peak_bytes(device),
            "outputs": self._outputs,
        }


def _rate(durations: list[float]) -> list[float] | None:
    """Steps per second at the median duration, with its 95 % interval by order statistics."""
    known = sorted(duration for duration in durations if duration > 0)
    if not known:
        return None
    middle, half = (len(known) - 1) / 2, CONFIDENCE * math.sqrt(len(known)) / 2
    low, high = max(0, math.floor(middle - half)), min(len(known) - 1, math.ceil(middle + half))
    median = (known[math.floor(middle)] + known[math.ceil(middle)]) / 2
    return [1 / median, 1 / known[high], 1 / known[low]]
