"""The measurements of a job, interleaved over its policies, and the resulting answer."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from shapewise import VERSION

from .calls import History, read_history
from .errors import ReplayError
from .job import Job, NamedPolicy
from .noise import bootstrap_interval, indistinguishable_from_best
from .processes import run_child, start_servers
from .turns import Turns

__all__ = ["SCHEMA", "measure"]

SCHEMA = "shapewise.replay/1"

Result = dict[str, Any]
Look = Callable[[str, int, int], None]


def measure(job: Job, given: Any, look: Look) -> dict[str, Any]:
    """Runs `job`, whose JSON is `given`; `look(what, done, all)` is called while it runs.

    Raises ReplayError if there are no calls to run, or nothing that could be called.
    """
    history = read_history(job.calls, job.subject.function)
    begin = time.monotonic()
    deadline = None if job.seconds is None else begin + job.seconds
    with tempfile.TemporaryDirectory(prefix="shapewise-replay-") as kept:
        runs = _Runs(job, given, look, Path(kept), deadline)
        if runs.whole > 1 and any(uses_inductor(named) for named in job.policies):
            watch = partial(look, "the compiler", 0, runs.whole)
            run_child({"warm_up": job.device}, job.timeout_seconds, watch)
        if job.compile_jobs > 1:
            runs.compile_side_by_side()
        for repetition in range(int(job.compile_jobs > 1), job.repetitions):
            for position in range(len(job.policies)):
                runs.run(position, repetition)
    return answer(job, history, runs.results, runs.left_out)


class _Runs:
    """The processes of a job and their results, by name of the policy."""

    def __init__(
        self, job: Job, given: Any, look: Look, kept: Path, deadline: float | None
    ) -> None:
        self.job = job
        self.results: dict[str, list[Result]] = {named.name: [] for named in job.policies}
        self.whole = job.repetitions * len(job.policies)
        self.done = 0
        self.left_out = 0
        self._given = given
        self._look = look
        self._kept = kept
        self._deadline = deadline
        self._cold = job.cold_repetitions or job.repetitions

    def compile_side_by_side(self) -> None:
        """The first process of every policy: some compile at once, then all are timed in turn.

        Later processes use their caches.
        """
        self._cold = 1
        policies = range(len(self.job.policies))
        turns = Turns(self._kept / "turns", len(policies), self.job.compile_jobs)

        def started(position: int) -> Result | None:
            def process(folder: Path, look: Callable[[], None]) -> Result | None:
                asked = {"compares": True, "turn": str(folder)}
                return self._child(position, asked, look, self._kept_caches(position, 0))

            return turns.run(position, process)

        start_servers(len(policies))
        with ThreadPoolExecutor(len(policies)) as pool:
            results = list(pool.map(started, policies))
        for named, result in zip(self.job.policies, results, strict=True):
            self._keep(named, result, reuses_caches=False)
        self.done += len(policies)

    def run(self, position: int, repetition: int) -> None:
        """One process of one policy, unless an earlier one failed."""
        named = self.job.policies[position]
        earlier = self.results[named.name]
        if not any(result.get("error") for result in earlier):
            watch = partial(self._look, named.name, self.done, self.whole)
            caches = self._kept_caches(position, repetition)
            result = self._child(position, {"compares": not earlier}, watch, caches)
            self._keep(named, result, reuses_caches=repetition >= self._cold)
        self.done += 1

    def _kept_caches(self, position: int, repetition: int) -> Path | None:
        """The folder of its caches, if it uses those of an earlier process or gives its own on."""
        is_kept = self._cold < self.job.repetitions and repetition + 1 >= self._cold
        return self._kept / str(position) if is_kept else None

    def _child(
        self,
        position: int,
        asked: dict[str, Any],
        watch: Callable[[], None],
        caches: Path | None,
    ) -> Result | None:
        """The result of a process; None if there was no time for it."""
        seconds = self.job.timeout_seconds
        is_limited = self._deadline is not None and time.monotonic() + seconds > self._deadline
        if is_limited:
            assert self._deadline is not None
            seconds = self._deadline - time.monotonic()
            if seconds <= 0:
                return None
        request = {"job": self._given, "policy": position, **asked}
        result = run_child(request, seconds, watch, caches)
        if not (is_limited and result.get("timed_out")):
            return result
        if "compiles" not in result:
            return None
        self.left_out += 1  # it was not timed
        return {name: value for name, value in result.items() if name != "error"}

    def _keep(self, named: NamedPolicy, result: Result | None, *, reuses_caches: bool) -> None:
        if result is None:
            self.left_out += 1
            return
        if "fatal" in result:
            raise ReplayError(result["fatal"])
        self.results[named.name].append({**result, "reuses_caches": reuses_caches})


def uses_inductor(named: NamedPolicy) -> bool:
    """Whether its first compile includes the start of the tool chain."""
    return not named.policy.eager and named.policy.backend == "inductor"


def answer(
    job: Job, history: History, results: dict[str, list[Result]], left_out: int = 0
) -> dict[str, Any]:
    """The answer, without `script`; `left_out` processes had no time to run."""
    rows = [row(job, history, named, results[named.name]) for named in job.policies]
    fit = {
        entry["name"]: figures_of(job, history, results[entry["name"]])
        for entry in rows
        if entry["error"] is None and entry["equal"] is not False
    }
    first = [series[0] for series in results.values() if series]
    notes = sorted({note for result in first for note in result.get("notes", ())})
    if job.repetitions == 1 and len(job.policies) > 1:
        notes.append("one repetition cannot show differences")
    if left_out:
        notes.append(f"{left_out} processes did not end in {job.seconds:g} s and are left out")
    return {
        "schema": SCHEMA,
        "tool": {"name": "shapewise", "version": VERSION},
        "device": next((r["device"] for r in first if "device" in r), None),
        "torch": next((r["torch"] for r in first if "torch" in r), None),
        "subject": {
            "kind": job.subject.kind,
            "name": job.subject.spec or job.subject.path,
            "function": history.function,
            "device": next((r["place"] for r in first if "place" in r), job.device or "cpu"),
            "factory": any(r.get("factory", False) for r in first),
        },
        "calls": {
            "recorded": len(history.order),
            "distinct": len(history.distinct),
            "warm": min(len(history.order), job.warm_calls),
            "damaged_lines": history.damaged_lines,
            "left_out": history.other_calls,
        },
        "repetitions": job.repetitions,
        "backward": job.backward,
        "seed": job.seed,
        "horizon": job.horizon,
        "policies": rows,
        "best": indistinguishable_from_best(fit),
        "notes": notes,
        "script": None,
    }


def row(job: Job, history: History, named: NamedPolicy, results: list[Result]) -> dict[str, Any]:
    """The measurements of one policy."""
    error = next((result["error"] for result in results if result.get("error")), None)
    first = results[0] if results else {}
    rates = [result["steps_per_second"] for result in results if result.get("steps_per_second")]
    samples = [rate for series in rates for rate in series]
    whole = cold_ones(results)
    expected = [s for s in horizon_seconds(job, history, results) if s is not None]
    return {
        "name": named.name,
        "policy": named.given,
        "steps": len(history.order),
        "steps_per_second": statistics.median(samples) if samples else None,
        "steps_per_second_interval": list(bootstrap_interval(rates, job.seed)) if rates else None,
        "compiles": first.get("compiles"),
        "entries": first.get("entries"),
        "late_compiles": median_of(results, "late_compiles"),
        "compile_seconds": median_of(whole, "compile_seconds"),
        "wall_seconds": median_of(whole, "wall_seconds"),
        "wall_seconds_interval": interval_of(job, [r["wall_seconds"] for r in whole]),
        "horizon_seconds": statistics.median(expected) if expected else None,
        "recompile_limit_hit": first.get("recompile_limit_hit"),
        "graph_breaks": first.get("graph_breaks"),
        "peak_bytes": median_of(results, "peak_bytes"),
        "equal": first.get("equal"),
        "equal_why": first.get("equal_why") or None,
        "compared_calls": first.get("compared_calls", 0),
        "max_abs_error": first.get("max_abs_error"),
        "error": error,
        "error_call": first.get("error_call"),
        "error_calls": first.get("error_calls"),
        "samples": rates,
        "predicted": named.predicted,
    }


def interval_of(job: Job, figures: list[float]) -> list[float] | None:
    """The interval of a figure with one value per process."""
    return list(bootstrap_interval([[figure] for figure in figures], job.seed)) if figures else None


def median_of(results: list[Result], member: str) -> Any:
    """The median of a figure over repetitions; None if no repetition has it."""
    known = [result[member] for result in results if result.get(member) is not None]
    if not known:
        return None
    middle = statistics.median(known)
    return round(middle) if all(isinstance(figure, int) for figure in known) else middle


def reuses_caches(result: Result) -> bool:
    """Whether the process had the caches of an earlier one."""
    return bool(result.get("reuses_caches"))


def cold_ones(results: list[Result]) -> list[Result]:
    """The results of processes that had to compile everything."""
    return [r for r in results if "wall_seconds" in r and not reuses_caches(r)]


def horizon_seconds(job: Job, history: History, results: list[Result]) -> list[float | None]:
    """Seconds of `horizon` steps by process: the recorded calls from cold, then warm ones.

    Where a process had the caches of another, the calls from cold take as long as in those.
    """
    cold = median_of(cold_ones(results), "wall_seconds")
    if job.horizon is None or cold is None:
        return [None] * len(results)
    left = max(0, job.horizon - len(history.order))
    seconds: list[float | None] = []
    for result in results:
        rates = result.get("steps_per_second")
        first = cold if reuses_caches(result) else result.get("wall_seconds", cold)
        seconds.append(first + left / statistics.median(rates) if rates else None)
    return seconds


def figures_of(job: Job, history: History, results: list[Result]) -> list[float | None]:
    """The rank of a policy: steps per second, warm, or over the horizon of the job."""
    if job.horizon is not None:
        whole = horizon_seconds(job, history, results)
        return [None if seconds is None else job.horizon / seconds for seconds in whole]
    rates = [result.get("steps_per_second") for result in results]
    return [statistics.median(rate) if rate else None for rate in rates]
