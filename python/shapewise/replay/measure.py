"""The measurements of a job, interleaved over its policies, and the resulting answer."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from shapewise import VERSION

from .calls import History, read_history
from .errors import ReplayError
from .job import Job, NamedPolicy
from .noise import bootstrap_interval, indistinguishable_from_best
from .processes import run_child

__all__ = ["SCHEMA", "measure"]

SCHEMA = "shapewise.replay/1"

Result = dict[str, Any]
Look = Callable[[str, int, int], None]


def measure(job: Job, given: Any, look: Look) -> dict[str, Any]:
    """Runs `job`, whose JSON is `given`; `look(what, done, all)` is called while it runs.

    Raises ReplayError if there are no calls to run, or nothing that could be called.
    """
    history = read_history(job.calls, job.subject.function)
    results: dict[str, list[Result]] = {named.name: [] for named in job.policies}
    whole = job.repetitions * len(job.policies)
    if whole > 1 and any(uses_inductor(named) for named in job.policies):
        watch = partial(look, "the compiler", 0, whole)
        run_child({"warm_up": job.device}, job.timeout_seconds, watch)
    done = 0
    cold = job.cold_repetitions or job.repetitions
    with tempfile.TemporaryDirectory(prefix="shapewise-replay-") as kept:
        for repetition in range(job.repetitions):
            for position, named in enumerate(job.policies):
                if not any(result.get("error") for result in results[named.name]):
                    request: dict[str, Any] = {
                        "job": given,
                        "policy": position,
                        "compares": repetition == 0,
                    }
                    # Later processes use the caches of the last cold one.
                    is_kept = cold < job.repetitions and repetition + 1 >= cold
                    caches = Path(kept) / str(position) if is_kept else None
                    watch = partial(look, named.name, done, whole)
                    result = run_child(request, job.timeout_seconds, watch, caches)
                    if "fatal" in result:
                        raise ReplayError(result["fatal"])
                    results[named.name].append({**result, "reuses_caches": repetition >= cold})
                done += 1
    return answer(job, history, results)


def uses_inductor(named: NamedPolicy) -> bool:
    """Whether its first compile includes the start of the tool chain."""
    return not named.policy.eager and named.policy.backend == "inductor"


def answer(job: Job, history: History, results: dict[str, list[Result]]) -> dict[str, Any]:
    """The answer, without `script`."""
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
        "late_compiles": first.get("late_compiles"),
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
