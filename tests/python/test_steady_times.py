"""Times of sizes on a machine that drifts, by a clock that is made up."""

from __future__ import annotations

import io
import json
import unittest
from collections.abc import Callable
from typing import Any
from unittest import mock

from shapewise.replay import cost_server
from shapewise.replay.cost_server import ROUNDS, serve
from shapewise.replay.job import job_of_json
from shapewise.replay.steady import SteadyTimes

JOB = {
    "subject": {"kind": "callable", "spec": "model.py:forward"},
    "calls": "calls.jsonl",
    "varied": [{"arg": "x", "dim": 1}],
}
CHUNK = 16
# Seconds of a call at full speed: the same at each size.
COSTS = {"seconds": 0.003, "dynamic": 0.004, "eager": 0.005}


class Machine:
    """A clock that calls move on; `slowness` tells how many times as long they take when."""

    def __init__(self, slowness: Callable[[float], float], breaks: int | None = None) -> None:
        self.now = 0.0
        self.slowness = slowness
        self.breaks = breaks  # the size whose dynamic graph cannot be timed
        self.asked: list[tuple[str, Any]] = []

    def time(self, seconds: float) -> float:
        """Seconds of one of a chunk of calls."""
        begin = self.now
        for _ in range(CHUNK):
            self.now += seconds * self.slowness(self.now)
        return (self.now - begin) / CHUNK

    def companion(self, _: str, request: dict[str, Any]) -> FakeCompanion:
        """Stands for the process of a mode."""
        return FakeCompanion(self, request["mode"])


class FakeCompanion:
    """Answers as cost_child does."""

    def __init__(self, machine: Machine, mode: str) -> None:
        self._machine = machine
        self._mode = mode
        self._size = 0

    def answer(self, _: float) -> dict[str, Any]:
        """That it is ready."""
        return {"ready": {"device": "made up", "torch": "none"}}

    def ask(self, question: dict[str, Any], _: float) -> dict[str, Any]:
        """Compiles, or times a round."""
        machine = self._machine
        is_static = self._mode == "static"
        if "prepare" in question:
            machine.asked.append((self._mode, question["reference"]))
            self._size = question["prepare"]
            took = machine.time(2.0)
            return {"compile_seconds" if is_static else "dynamic_compile_seconds": took}
        if not is_static and machine.breaks == self._size:
            return {"error": "it breaks"}
        names = ("seconds", "reference") if is_static else ("eager", "dynamic")
        costs = {**COSTS, "reference": COSTS["eager"]}
        samples = {name: machine.time(costs[name]) for name in names}
        return {"samples": samples, "runs": CHUNK if is_static else 0}

    def end(self) -> None:
        """Nothing to end."""


def slower_from(step: float) -> Callable[[float], float]:
    """A machine that takes a fifth longer from then on."""
    return lambda now: 1.0 if now < step else 1.2


def answers_of(machine: Machine, sizes: list[int]) -> list[dict[str, Any]]:
    """What the server answers for the sizes."""
    requests = io.StringIO("".join(json.dumps({"time": {"size": size}}) + "\n" for size in sizes))
    answers = io.StringIO()
    with mock.patch.object(cost_server, "Companion", machine.companion):
        serve(job_of_json(JOB), JOB, requests, answers)
    _, *told = [json.loads(line) for line in answers.getvalue().splitlines()]
    return told


class DriftingMachine(unittest.TestCase):
    def test_equal_costs_give_equal_times_though_the_machine_slows_down(self) -> None:
        sizes = [17, 25, 20, 21, 22, 23]
        told = answers_of(Machine(lambda now: 1 + now / 1500), sizes)
        drifts = [answer["reference"]["drift"] for answer in told]
        # It slows down by a fifth and more: without a reference the last size would cost so much.
        self.assertGreater(drifts[-1], 0.2)
        self.assertEqual(drifts, sorted(drifts))
        for figure in (*COSTS, "compile_seconds"):
            first = told[0][figure]
            for answer in told:
                self.assertLess(abs(answer[figure] / first - 1), 0.02, (figure, answer))

    def test_a_step_in_the_middle_of_a_request_is_no_step_of_the_size(self) -> None:
        # The first request takes 64 s to compile, and 9 rounds of 16 calls of 17 ms: 2.4 s.
        for step in (60.0, 65.0, 65.4, 100.0, 131.0):
            told = answers_of(Machine(slower_from(step)), [32, 64])
            with self.subTest(step):
                for figure in COSTS:
                    self.assertLess(abs(told[1][figure] / told[0][figure] - 1), 0.01, figure)

    def test_a_steady_machine_has_its_own_times_and_no_spread(self) -> None:
        (answer,) = answers_of(Machine(lambda _: 1.0), [32])
        self.assertEqual(answer["reference"]["size"], 32)
        self.assertAlmostEqual(answer["reference"]["seconds"], COSTS["eager"])
        self.assertAlmostEqual(answer["reference"]["drift"], 0)
        self.assertEqual(answer["runs"], ROUNDS * CHUNK)
        for figure, seconds in COSTS.items():
            prefix = "" if figure == "seconds" else f"{figure}_"
            self.assertAlmostEqual(answer[figure], seconds)
            self.assertAlmostEqual(answer[f"{prefix}iqr"], 0)
            self.assertAlmostEqual(answer[f"{prefix}spread"], 0)

    def test_the_spread_holds_a_part_of_the_drift_that_was_taken_out(self) -> None:
        told = answers_of(Machine(slower_from(67)), [32, 64])
        self.assertAlmostEqual(told[1]["reference"]["drift"], 0.2)
        for prefix in ("", "dynamic_", "eager_"):
            self.assertLess(told[0][f"{prefix}spread"], 0.01)
            self.assertAlmostEqual(told[1][f"{prefix}spread"], 0.05)

    def test_the_reference_stays_the_size_that_was_first_asked_for(self) -> None:
        machine = Machine(lambda _: 1.0)
        answers_of(machine, [64, 32, 16])
        self.assertEqual({reference for _, reference in machine.asked}, {64})

    def test_without_a_dynamic_graph_the_other_times_are_scaled_all_the_same(self) -> None:
        told = answers_of(Machine(slower_from(67), breaks=64), [32, 64])
        self.assertEqual(told[1]["dynamic_error"], "it breaks")
        self.assertIsNone(told[1]["dynamic"])
        self.assertNotIn("eager", told[1])
        self.assertAlmostEqual(told[1]["seconds"], told[0]["seconds"])


class InterruptedReference(unittest.TestCase):
    def test_one_long_round_of_the_reference_scales_nothing(self) -> None:
        steady = SteadyTimes()
        for size, references in (
            (8, [1.0] * 9),
            (16, [9.0, *[1.0] * 8]),
            (32, [1.0] * 4 + [9.0] + [1.0] * 4),
        ):
            told = steady.figures(size, {"seconds": [2.0] * 9, "reference": references}, {})
            self.assertEqual((told["seconds"], told["iqr"], told["spread"]), (2.0, 0.0, 0.0))


class WithoutReference(unittest.TestCase):
    def test_times_stay_as_they_are(self) -> None:
        steady = SteadyTimes()
        told = steady.figures(8, {"seconds": [2.0, 3.0, 4.0]}, {"compile_seconds": 5.0})
        self.assertIsNone(told["reference"])
        self.assertEqual((told["seconds"], told["compile_seconds"]), (3.0, 5.0))
        self.assertAlmostEqual(told["spread"], told["iqr"] / 6)
        # The next size is the first that has one.
        self.assertEqual(steady.reference_size(16), 16)
        steady.figures(16, {"seconds": [2.0, 3.0], "reference": [1.0, 1.0]}, {})
        self.assertEqual(steady.reference_size(32), 16)


if __name__ == "__main__":
    unittest.main()
