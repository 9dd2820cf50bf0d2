"""The cost of calls of a size under torch.compile (analyzer/docs/replay.md, serve)."""

from __future__ import annotations

import json
from typing import Any, TextIO

from .errors import ReplayError
from .job import Job
from .processes import Companion
from .steady import REFERENCE, SteadyTimes

__all__ = ["serve"]

MOST_SIZE = 1 << 31
MODES = ("static", "dynamic")  # as cost_child has them
# Rounds of timing, in which the ways take turns: a machine that slows down slows all of them.
ROUNDS = 9


def serve(job: Job, given: Any, requests: TextIO, answers: TextIO) -> None:
    """Answers each line of `requests`. Raises ReplayError if nothing can be measured.

    Static graphs and the one dynamic graph live in processes of their own: in one process an entry
    of one would serve calls of the other. They are asked in turns, so that neither disturbs a time.
    """
    if not job.varied:
        raise ReplayError("job.varied: it names no dim whose size is varied")
    with CostProcesses(job, given) as processes:
        _say(answers, {"ready": processes.ready()})
        for line in requests:
            if line.strip():
                _say(answers, _answer(line, processes))


def _say(answers: TextIO, given: dict[str, Any]) -> None:
    answers.write(json.dumps(given) + "\n")
    answers.flush()


def _answer(line: str, processes: CostProcesses) -> dict[str, Any]:
    try:
        asked = json.loads(line)["time"]
        size = asked["size"]
    except (ValueError, RecursionError, TypeError, KeyError):
        return {"time": None, "error": 'expected {"time": {"size": 128}}'}
    if isinstance(size, bool) or not isinstance(size, int) or not 1 <= size < MOST_SIZE:
        return {"time": asked, "error": "expected a size above 0"}
    return {"time": asked, **processes.figures(size)}


class CostProcesses:
    """A process for each way to compile; a process that dies is restarted."""

    def __init__(self, job: Job, given: Any) -> None:
        self._job = job
        self._job_json = given
        self._running: dict[str, Companion] = {}
        self._steady = SteadyTimes()

    def __enter__(self) -> CostProcesses:
        return self

    def __exit__(self, *_: object) -> None:
        for companion in self._running.values():
            companion.end()

    def ready(self) -> dict[str, Any]:
        """Device and torch, after all processes are ready. Raises ReplayError if one is not."""
        for mode in MODES:
            self._launch(mode)
        said = [self._wait(mode) for mode in MODES]
        return said[0]

    def figures(self, size: int) -> dict[str, Any]:
        """All measurements of a size; "error" if not even a static graph can be run."""
        whole: dict[str, Any] = {"dynamic": None, "runs": 0}
        samples: dict[str, list[float]] = {}
        modes = list(MODES)
        first = {"prepare": size, "reference": self._steady.reference_size(size)}
        questions: list[dict[str, Any]] = [first, *[{"round": True}] * ROUNDS]
        for question in questions:
            for mode in tuple(modes):
                given = self._ask(mode, question)
                error = given.pop("error", None)
                if error is not None and mode == "static":
                    return {"error": error}
                if error is not None:
                    modes.remove(mode)
                    kept = ("seconds", REFERENCE)
                    samples = {name: samples[name] for name in kept if name in samples}
                    whole.update({"dynamic_error": error})
                for figure, seconds in given.pop("samples", {}).items():
                    samples.setdefault(figure, []).append(seconds)
                whole["runs"] += given.pop("runs", 0)
                whole.update(given)
        return {**whole, **self._steady.figures(size, samples, whole)}

    def _ask(self, mode: str, question: dict[str, Any]) -> dict[str, Any]:
        """The answer of a process; "error" if it has died, or could not be started."""
        try:
            if mode not in self._running:
                self._launch(mode)
                self._wait(mode)
            return self._running[mode].ask(question, self._job.timeout_seconds)
        except ReplayError as error:
            if mode in self._running:
                self._running.pop(mode).end()
            return {"error": str(error)}

    def _launch(self, mode: str) -> None:
        request = {"job": self._job_json, "mode": mode}
        self._running[mode] = Companion("shapewise.replay.cost_child", request)

    def _wait(self, mode: str) -> dict[str, Any]:
        """The first answer of a process. Raises ReplayError if it never becomes ready."""
        try:
            said = self._running[mode].answer(self._job.timeout_seconds)
            if "fatal" in said:
                raise ReplayError(said["fatal"])
        except ReplayError:
            self._running.pop(mode).end()
            raise
        ready: dict[str, Any] = said["ready"]
        return ready
