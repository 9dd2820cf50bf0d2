"""What calls of a size cost, in a process of its own. Needs torch.

python -m shapewise.replay.cost_child REQUEST answers each line of standard input, {"size": 128},
with a line of standard output.
"""

from __future__ import annotations

import dataclasses
import json
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, TextIO

import torch
import torch._dynamo

from .calls import Call, read_history
from .child import device_name, die_with_parent, warm_up
from .errors import ReplayError, first_line
from .job import Job, job_of_json
from .memory import peak_bytes, reset_peak
from .policy import Mark, Policy
from .runner import CHUNK_BYTES, CHUNK_CALLS, Runner, tensor_bytes
from .values import NotRecordedError
from .varied_call import varied_call

CHUNK_SECONDS = 0.1  # a chunk is what is timed at once; calls of a microsecond need many
ENOUGH_SECONDS = 1.0
LEAST_CHUNKS, MOST_CHUNKS = 7, 50

Figures = dict[str, Any]


class SizeTimer:
    """Times calls of any size, compiled for each size alone or once for all."""

    def __init__(self, job: Job, mode: str) -> None:
        base = job.policies[0].policy if job.policies else Policy()
        marks = tuple(
            Mark(place.source, place.dim, "dynamic", None, None, None) for place in job.varied
        )
        is_static = mode == "static"
        policy = dataclasses.replace(
            base,
            dynamic=False if is_static else None,
            marks=() if is_static else marks,
            buckets=(),
            masks=(),
        )
        history = read_history(job.calls, job.subject.function)
        self._is_static = is_static
        self._varied = job.varied
        self._runner = Runner(job, policy, history)
        most_frequent = Counter(history.order).most_common(1)[0][0]
        self._sample = history.distinct[most_frequent]
        self._first_dynamic_seconds: float | None = None
        warm_up(self._runner.device)
        # What the first call of a process pays, whatever its size, is no cost of a size.
        self._step(dataclasses.replace(self._sample, stance="force_eager"))
        self.device = device_name(self._runner.device)

    def time(self, size: int) -> Figures:
        """Figures of one size. Raises whatever the call does."""
        call = varied_call(self._sample, self._varied, size)
        return self._time_static(call) if self._is_static else self._time_dynamic(call)

    def _time_static(self, call: Call) -> Figures:
        torch._dynamo.reset()
        seconds, iqr, runs, first = self._measure(call)
        figures = {"seconds": seconds, "iqr": iqr, "runs": runs, "compile_seconds": first}
        if self._runner.device.startswith("cuda"):
            reset_peak(self._runner.device)
            self._step(call)
            figures["peak_bytes"] = peak_bytes(self._runner.device)
        return figures

    def _time_dynamic(self, call: Call) -> Figures:
        eager = dataclasses.replace(call, stance="force_eager")
        figures: Figures = {"eager": self._measure(eager)[0], "dynamic": None}
        try:
            seconds, iqr, _, first = self._measure(call)
        except Exception as error:
            figures["dynamic_error"] = first_line(error)
            return figures
        figures.update({"dynamic": seconds, "dynamic_iqr": iqr, "dynamic_compile_seconds": None})
        if self._first_dynamic_seconds is None:
            self._first_dynamic_seconds = first
            figures["dynamic_compile_seconds"] = first
        return figures

    def _measure(self, call: Call) -> tuple[float, float, int, float]:
        """Seconds of a warm call, their interquartile range, runs, and what the first took more."""
        begin = time.perf_counter()
        self._step(call)
        first = time.perf_counter() - begin
        once = min(self._chunk(call, 1) for _ in range(3))
        size = tensor_bytes(self._runner.values(call))
        count = min(
            CHUNK_CALLS, max(1, CHUNK_BYTES // max(1, size)), max(1, int(CHUNK_SECONDS / once))
        )
        figures: list[float] = []
        spent = 0.0
        while len(figures) < LEAST_CHUNKS or (
            spent < ENOUGH_SECONDS and len(figures) < MOST_CHUNKS
        ):
            seconds = self._chunk(call, count)
            spent += seconds
            figures.append(seconds / count)
        low, median, high = statistics.quantiles(figures, n=4)
        return median, high - low, len(figures) * count, max(0.0, first - median)

    def _chunk(self, call: Call, count: int) -> float:
        return self._runner.time_chunk([(0, call, self._runner.values(call)) for _ in range(count)])

    def _step(self, call: Call) -> None:
        self._runner.time_chunk([(0, call, self._runner.values(call))])


def answer_to(line: str, timed: Callable[[int], Figures]) -> Figures:
    """What is answered to a line; what is raised is told, and ends nothing."""
    try:
        return timed(json.loads(line)["size"])
    except Exception as error:
        return {"error": str(error) if isinstance(error, ReplayError) else first_line(error)}


def main() -> int:
    """Reads the request, then answers lines until there are no more."""
    die_with_parent()
    # Whatever the user's program prints is no answer.
    answers: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))

    def say(told: Figures) -> None:
        answers.write(json.dumps(told) + "\n")
        answers.flush()

    job = job_of_json(request["job"])
    if job.threads is not None:
        torch.set_num_threads(job.threads)
    try:
        timer = SizeTimer(job, request["mode"])
    except (ReplayError, NotRecordedError) as error:
        say({"fatal": str(error)})
        return 2
    except Exception as error:
        say({"fatal": f"the recorded call cannot be made: {first_line(error)}"})
        return 2
    say({"ready": {"device": timer.device, "torch": torch.__version__}})
    for line in sys.stdin:
        say(answer_to(line, timer.time))
    return 0


if __name__ == "__main__":
    sys.exit(main())
