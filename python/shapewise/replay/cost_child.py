"""Measures the cost of calls of a size, in a process of its own. Needs torch.

python -m shapewise.replay.cost_child REQUEST answers each line of standard input with a line of
standard output: {"prepare": 128, "reference": 64} compiles for a size, {"round": true} times it
once more, and the reference call beside it.
"""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, TextIO

import torch
import torch._dynamo

from .calls import Call, read_history
from .child import device_name, warm_up
from .errors import ReplayError, first_line
from .job import Job, job_of_json
from .memory import peak_bytes, reset_peak
from .parent import die_with_parent
from .policy import Mark, Policy
from .runner import CHUNK_BYTES, CHUNK_CALLS, Runner, tensor_bytes
from .steady import REFERENCE
from .values import NotRecordedError
from .varied_call import varied_call

# Number of calls that are timed together; calls of a microsecond need many.
CHUNK_SECONDS = 0.1

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
            shapes=None,
            serving=None,
        )
        history = read_history(job.calls, job.subject.function)
        self._is_static = is_static
        self._varied = job.varied
        self._runner = Runner(job, policy, history)
        most_frequent = Counter(history.order).most_common(1)[0][0]
        self._sample = history.distinct[most_frequent]
        self._has_dynamic_graph = False
        self._ways: dict[str, tuple[Call, int]] = {}  # by figure: the call, and how many at once
        self._reference: tuple[int, tuple[Call, int] | None] | None = None  # by size; None: fails
        if base.backend == "inductor":
            warm_up(self._runner.device)
        # The fixed cost of the first call of a process does not belong to a size.
        self._chunk(_uncompiled(self._sample), 1)
        self.device = device_name(self._runner.device)

    def prepare(self, size: int, reference: int) -> Figures:
        """Compiles for a size and warms up; returns the extra time of the first call.

        For static graphs, the uncompiled reference call is prepared as well.
        """
        call = varied_call(self._sample, self._varied, size)
        self._ways = {}
        if self._is_static:
            figures = self._prepare_static(call)
            self._prepare_reference(reference)
            return figures
        self._warm("eager", _uncompiled(call))
        try:
            more = self._warm("dynamic", call)
        except Exception as error:
            return {"dynamic_error": first_line(error)}
        is_first, self._has_dynamic_graph = not self._has_dynamic_graph, True
        return {"dynamic_compile_seconds": more if is_first else None}

    def _prepare_static(self, call: Call) -> Figures:
        torch._dynamo.reset()
        figures: Figures = {"compile_seconds": self._warm("seconds", call)}
        if self._runner.device.startswith("cuda"):
            reset_peak(self._runner.device)
            self._chunk(call, 1)
            figures["peak_bytes"] = peak_bytes(self._runner.device)
        return figures

    def _prepare_reference(self, size: int) -> None:
        """Add the reference call to the ways, if it can be made."""
        if self._reference is None or self._reference[0] != size:
            self._reference = (size, None)
            try:
                self._warm(REFERENCE, _uncompiled(varied_call(self._sample, self._varied, size)))
            except Exception:
                return
            self._reference = (size, self._ways[REFERENCE])
        way = self._reference[1]
        if way is not None:
            self._ways[REFERENCE] = way

    def _warm(self, figure: str, call: Call) -> float:
        """Makes first calls; returns how much longer the very first took than a warm one."""
        begin = time.perf_counter()
        self._chunk(call, 1)
        first = time.perf_counter() - begin
        once = min(self._chunk(call, 1) for _ in range(3))
        size = tensor_bytes(self._runner.values(call))
        fitting = max(1, min(CHUNK_BYTES // max(1, size), int(CHUNK_SECONDS / once)))
        self._ways[figure] = (call, min(CHUNK_CALLS, fitting))
        return max(0.0, first - once)

    def round(self) -> Figures:
        """Seconds of a call of the prepared size, by figure; how many of a static graph."""
        samples = {
            figure: self._chunk(call, count) / count for figure, (call, count) in self._ways.items()
        }
        return {"samples": samples, "runs": self._ways["seconds"][1] if self._is_static else 0}

    def _chunk(self, call: Call, count: int) -> float:
        return self._runner.time_chunk([(0, call, self._runner.values(call)) for _ in range(count)])


def _uncompiled(call: Call) -> Call:
    return dataclasses.replace(call, stance="force_eager")


def answer_to(line: str, timer: SizeTimer) -> Figures:
    """Answer a line. An exception becomes an error in the answer, and does not end the process."""
    asked = json.loads(line)
    try:
        if "prepare" in asked:
            return timer.prepare(asked["prepare"], asked["reference"])
        return timer.round()
    except Exception as error:
        return {"error": str(error) if isinstance(error, ReplayError) else first_line(error)}


def main() -> int:
    """Reads the request, then answers lines until there are no more."""
    die_with_parent()
    # Output of the user's program is not an answer.
    answers: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))

    def say(given: Figures) -> None:
        answers.write(json.dumps(given) + "\n")
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
        say(answer_to(line, timer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
