"""The processes that a job starts: which are cold, which compile at once, and what a limit of time leaves out."""

from __future__ import annotations

import json
import tempfile
import time
import unittest
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from shapewise.replay import measure as measuring
from shapewise.replay.job import job_of_json
from shapewise.replay.turns import Turns

CALL = {"function": "f", "file": "m.py", "line": 1, "inputs": {"x": {"size": [4, 3]}}}


def measured(
    policies: list[str], **more: Any
) -> tuple[dict[str, Any], list[tuple[str, bool, bool]]]:
    """The answer of a job, and its processes: the policy, whether it waits for a turn, whether caches are kept."""
    started: list[tuple[str, bool, bool]] = []

    def run_child(request: dict[str, Any], *rest: Any) -> dict[str, Any]:
        if "warm_up" in request:
            return {}
        started.append((policies[request["policy"]], "turn" in request, rest[-1] is not None))
        told = {
            "wall_seconds": 30.0,
            "compiles": 1,
            "error_calls": 0,
            "compile_seconds": 20.0,
            "equal": True,
        }
        return {**told, "steps_per_second": [10.0], "late_compiles": 0}

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
    def test_each_repetition_is_cold(self) -> None:
        _, started = measured(["a", "b"], repetitions=2)
        self.assertEqual(started, [("a", False, False), ("b", False, False)] * 2)

    def test_policies_that_compile_at_once_are_timed_in_turn_and_later_with_their_caches(
        self,
    ) -> None:
        told, started = measured(["a", "b"], repetitions=2, compile_jobs=2, horizon=101)
        self.assertEqual(sorted(started[:2]), [("a", True, True), ("b", True, True)])
        self.assertEqual(started[2:], [("a", False, True), ("b", False, True)])
        row = told["policies"][0]
        # The compile is that of the cold process: 30 s, then 100 calls at 10 a second.
        self.assertEqual(
            (row["wall_seconds"], row["compile_seconds"], row["horizon_seconds"]), (30, 20, 40)
        )
        self.assertEqual((row["late_compiles"], row["equal"]), (0, True))

    def test_a_limit_of_time_leaves_out_processes_and_says_so(self) -> None:
        told, started = measured(["a", "b"], repetitions=3, seconds=1e-9)
        self.assertEqual(started, [])
        self.assertIn("6 processes did not end in 1e-09 s and are left out", told["notes"])
        self.assertIsNone(told["policies"][0]["compiles"])


class InTurn(unittest.TestCase):
    def test_a_few_compile_at_once_and_one_is_timed_after_all_have_compiled(self) -> None:
        compiling: set[int] = set()
        most_compiling = 0
        timed: list[int] = []

        def process(number: int, folder: Path, look: Callable[[], None]) -> int:
            nonlocal most_compiling
            compiling.add(number)
            most_compiling = max(most_compiling, len(compiling))
            look()
            self.assertFalse((folder / "turn").exists())
            time.sleep(0.02)
            compiling.discard(number)
            if number == 0:  # it fails and never gets its turn
                return -1
            (folder / "ready").touch()
            while not (folder / "turn").exists():
                look()
            self.assertEqual(compiling, set())
            timed.append(number)
            time.sleep(0.01)
            self.assertEqual(timed[-1], number)
            return number

        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(5) as pool:
            turns = Turns(Path(folder), 5, 2)
            runs = [pool.submit(turns.run, n, partial(process, n)) for n in range(5)]
            self.assertEqual([run.result() for run in runs], [-1, 1, 2, 3, 4])
        self.assertEqual(sorted(timed), [1, 2, 3, 4])
        self.assertLessEqual(most_compiling, 2)


if __name__ == "__main__":
    unittest.main()
