"""A structured trace of many compilations, made up: what a page has to bear.

Functions of four ranks take another length in each call, and hit their limit; all times are fixed, so that the
same trace comes out everywhere. Envelopes are those of torch 2.13, with the members that a page shows.
"""

from __future__ import annotations

import json
from pathlib import Path

EPOCH = 1_763_683_200  # 2025-11-21 00:00:00 UTC
FILE = "/srv/app/model.py"


class Clock:
    """Microseconds since the trace began, as its prefixes and metrics have them."""

    def __init__(self) -> None:
        self.micros = 0

    def prefix(self, pid: int) -> str:
        seconds, micros = divmod(self.micros, 1_000_000)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        return f"V1121 {hour:02}:{minute:02}:{second:02}.{micros:06} {pid} torch/_dynamo/utils.py:2009]"


def write_rank(path: Path, rank: int, functions: int, compiles: int) -> int:
    """Writes the trace of one rank: `functions` functions that compile `compiles` times each. Returns how many."""
    clock = Clock()
    pid = 4000 + rank
    with path.open("w", encoding="utf-8") as out:

        def line(record: dict[str, object], payload: object = None) -> None:
            if payload is not None:
                record["has_payload"] = "0" * 32
            out.write(f"{clock.prefix(pid)} {json.dumps(record)}\n")
            if payload is not None:
                out.write(
                    "".join(f"\t{one}\n" for one in json.dumps(payload, indent=0).splitlines())
                )

        line({"str": [FILE, 0]})
        for number in range(compiles):
            for function in range(functions):
                where = {"frame_id": function, "frame_compile_id": number, "attempt": 0}
                name, first_line = f"block_{function:03}", 10 + 20 * function
                size = 16 + (number * 37 + function * 5) % 400
                if number > 0:
                    reasons = [
                        f"{function}/{earlier}: tensor 'x' size mismatch at index 1. expected {16 + earlier}, actual {size}"
                        for earlier in range(number - 1, max(number - 3, -1), -1)
                    ]
                    line(
                        {"artifact": {"name": "recompile_reasons", "encoding": "json"}, **where},
                        reasons,
                    )
                stack = [{"line": first_line, "name": name, "filename": 0}]
                line({"dynamo_start": {"stack": stack}, **where})
                took = 20_000 + (function * 7919 + number * 104_729 + rank * 1299) % 180_000
                start = EPOCH * 1_000_000 + clock.micros
                clock.micros += took
                metrics = {
                    "compile_id": f"{function}/{number}",
                    "co_name": name,
                    "co_filename": FILE,
                    "co_firstlineno": first_line,
                    "start_time_us": start,
                    "entire_frame_compile_time_s": took / 1e6,
                    "backend_compile_time_s": took / 2e6,
                    "inductor_compile_time_s": took / 4e6,
                    "graph_op_count": 12,
                    "graph_input_count": 2,
                    "guard_count": 9,
                    "fail_type": None,
                    "restart_reasons": [],
                }
                line({"compilation_metrics": metrics, **where})
                clock.micros += 5_000
    return functions * compiles


def write_trace(folder: Path, ranks: int = 4, functions: int = 50, compiles: int = 50) -> int:
    """Writes one trace a rank into `folder`, 10,000 compilations together. Returns how many."""
    folder.mkdir(parents=True, exist_ok=True)
    return sum(
        write_rank(
            folder / f"dedicated_log_torch_trace_rank_{rank}_made.log", rank, functions, compiles
        )
        for rank in range(ranks)
    )
