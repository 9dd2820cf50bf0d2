"""CUDA graphs by size: the cost of recording, the savings of replaying, which sizes pay."""

from __future__ import annotations

import math
from typing import Any

from shapewise import VERSION

from .calls import History, read_history
from .errors import ReplayError
from .job import Job
from .processes import run_child

__all__ = ["measure_cuda_graphs", "sizes_that_pay"]

SCHEMA = "shapewise.cudagraphs/1"


def measure_cuda_graphs(job: Job, given: Any) -> dict[str, Any]:
    """Records and replays the most frequent calls under the job's first policy.

    Raises ReplayError where there is no CUDA device, or nothing can be recorded.
    """
    history = read_history(job.calls, job.subject.function)
    result = run_child(
        {"job": given, "policy": 0, "cuda_graphs": True}, job.timeout_seconds, _quiet
    )
    why = result.get("error") or result.get("fatal")
    if why:
        raise ReplayError(f"CUDA graphs: {why}")
    return {
        "schema": SCHEMA,
        "tool": {"name": "shapewise", "version": VERSION},
        "device": result["device"],
        "torch": result["torch"],
        "policy": job.policies[0].name,
        "horizon": job.horizon or len(history.order),
        **sizes_that_pay(result["sizes"], history, job.horizon),
    }


def _quiet() -> None:
    """Nothing is shown while one process runs."""


def sizes_that_pay(
    sizes: list[dict[str, Any]], history: History, horizon: int | None
) -> dict[str, Any]:
    """The rows, each with when it pays, and the numbers of those that do over the horizon.

    A graph pays after capture_seconds / (launch_seconds - replay_seconds) calls. Calls of a size
    come as often in `horizon` calls as they did in the recorded ones.
    """
    scale = (horizon or len(history.order)) / len(history.order)
    rows: list[dict[str, Any]] = []
    for row in sizes:
        row = dict(row)
        calls = history.order.count(row["call"]) * scale
        row["calls"] = calls
        row["pays_after_calls"] = None
        if row.get("error") is None:
            saved = row["launch_seconds"] - row["replay_seconds"]
            if saved > 0:
                row["pays_after_calls"] = math.ceil(row["capture_seconds"] / saved)
            row["saved_seconds"] = saved * calls - row["capture_seconds"]
        rows.append(row)
    chosen = [row for row in rows if row.get("saved_seconds", 0) > 0]
    return {
        "sizes": rows,
        "capture": [row["call"] for row in chosen],
        "capture_bytes": sum(row["capture_bytes"] for row in chosen),
        "saved_seconds": sum(row["saved_seconds"] for row in chosen),
    }
