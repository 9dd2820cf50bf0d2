"""Dynamo's own counters: compiles, their seconds, limits, breaks. Needs torch."""

from __future__ import annotations

import logging
import re
from typing import Any

import torch._dynamo
import torch._dynamo.utils as dynamo_utils

__all__ = ["DynamoCounters", "forget_compiles"]

MOST_METRICS = 1 << 16


class DynamoCounters:
    """Counts from its creation on. One per process."""

    def __init__(self) -> None:
        dynamo_utils.set_compilation_metrics_limit(MOST_METRICS)
        self._limits = _LimitHandler()
        logging.getLogger("torch._dynamo.convert_frame").addHandler(self._limits)

    def compiles(self) -> int:
        """Graphs passed to the backend, including those of failed compiles."""
        stats: dict[str, int] = dynamo_utils.counters["stats"]
        return stats.get("unique_graphs", 0)

    def report(self) -> dict[str, Any]:
        """All figures, as members of the answer."""
        forward = [
            metrics
            for metrics in dynamo_utils.get_compilation_metrics()
            if metrics.co_name and getattr(metrics, "is_forward", True) is not False
        ]
        breaks: dict[str, int] = dynamo_utils.counters["graph_break"]
        return {
            "compiles": self.compiles(),
            "entries": sum(m.fail_type is None and m.cache_size is not None for m in forward),
            "failed_compiles": sum(m.fail_type is not None for m in forward),
            "compile_seconds": dynamo_utils.calculate_time_spent()["total_wall_time"],
            "recompiles": sum(_is_recompile(m) for m in forward),
            "recompile_limit_hit": self._limits.hits > 0,
            "limit_hits": self._limits.hits,
            "graph_breaks": sum(breaks.values()),
        }


def forget_compiles() -> list[str]:
    """Drops caches and counts of what this process compiled; a note, if that was anything."""
    compiles = dynamo_utils.counters["stats"].get("unique_graphs", 0)
    if compiles == 0:
        return []
    torch._dynamo.reset()
    dynamo_utils.clear_compilation_metrics()
    for name in ("counters", "compilation_time_metrics", "cumulative_time_spent_ns"):
        getattr(dynamo_utils, name, {}).clear()
    graphs = "1 graph" if compiles == 1 else f"{compiles} graphs"
    return [
        f"importing the program compiled {graphs}, which are not counted; with its main part under "
        "if __name__ == '__main__', the import compiles nothing"
    ]


def _is_recompile(metrics: Any) -> bool:
    """Whether it was not the first compilation of its frame: "3/1" or "3/1_2" in compile ids."""
    match = re.search(r"/(\d+)", str(metrics.compile_id or ""))
    return match is not None and int(match[1]) > 0


class _LimitHandler(logging.Handler):
    """Detects the warning that a function has reached its limit."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.hits = 0

    def emit(self, record: logging.LogRecord) -> None:
        if re.search(r"hit config\.\w+", record.getMessage()):
            self.hits += 1
