"""The processes that a job starts: which are cold, which compile at once, and what a limit of time leaves out."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from shapewise.replay import measure as measuring
from shapewise.replay.job import job_of_json

CALL = {"function": "f", "file": "m.py", "line": 1, "inputs": {"x": {"size": [4, 3]}}}


def measured(
    policies: list[str], **more: Any
) -> tuple[dict[str, Any], list[tuple[str, bool, bool]]]:
    """The answer of a job, and its processes: the policy, whether steps are timed, whether caches are kept."""
    started: list[tuple[str, bool, bool]] = []

    def run_child(request: dict[str, Any], *rest: Any) -> dict[str, Any]:
        if "warm_up" in request:
            return {}
        is_timed = request["is_timed"]
        started.append((policies[request["policy"]], is_timed, rest[-1] is not None))
        told = {
            "wall_seconds": 30.0,
            "compiles": 1,
            "error_calls": 0,
            "compile_seconds": 20.0,
            "equal": True,
        }
        return {**told, **({"steps_per_second": [10.0], "late_compiles": 0} if is_timed else {})}

    with tempfile.TemporaryDirectory() as folder:
        calls = Path(folder) / "calls.jsonl"
        calls.write_text(json.dumps(CALL) + "\n", encoding="utf-8")
        given = {
            "subject": {"kind": "callable", "spec": "m.py:f"},
            "calls": str(calls),
            "policies": [{"name": name, "policy": "as-is + backend=eager"} for name in policies],
            **more,
        }
        with (
            mock.patch.object(measuring, "run_child", run_child),
            mock.patch.object(measuring, "start_servers"),
        ):
            told = measuring.measure(job_of_json(given), given, lambda *_: None)
    return told, started


class Processes(unittest.TestCase):
    def test_each_repetition_is_cold_and_timed(self) -> None:
        _, started = measured(["a", "b"], repetitions=2)
        self.assertEqual(started, [("a", True, False), ("b", True, False)] * 2)

    def test_policies_that_compile_at_once_are_timed_later_with_their_caches(self) -> None:
        told, started = measured(["a", "b"], repetitions=1, compile_jobs=2, horizon=101)
        self.assertEqual(sorted(started[:2]), [("a", False, True), ("b", False, True)])
        self.assertEqual(started[2:], [("a", True, True), ("b", True, True)])
        row = told["policies"][0]
        # The compile is that of the cold process, the speed that of the other: 30 s, then 100 calls at 10 a second.
        self.assertEqual(
            (row["wall_seconds"], row["compile_seconds"], row["horizon_seconds"]), (30, 20, 40)
        )
        self.assertEqual((row["late_compiles"], row["equal"]), (0, True))

    def test_a_limit_of_time_leaves_out_processes_and_says_so(self) -> None:
        told, started = measured(["a", "b"], repetitions=3, seconds=1e-9)
        self.assertEqual(started, [])
        self.assertIn("6 processes did not end in 1e-09 s and are left out", told["notes"])
        self.assertIsNone(told["policies"][0]["compiles"])


if __name__ == "__main__":
    unittest.main()
