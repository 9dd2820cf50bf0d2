"""Jobs, call records, and the version."""

from __future__ import annotations

import json
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any

import shapewise
from shapewise.replay.calls import read_history
from shapewise.replay.cuda_graphs import sizes_that_pay
from shapewise.replay.errors import ReplayError
from shapewise.replay.job import job_of_json

ROOT = Path(__file__).resolve().parents[2]


def job(**more: Any) -> dict[str, Any]:
    """A job that is whole, but for what is given."""
    return {
        "schema": "shapewise.replay-job/1",
        "subject": {"kind": "callable", "spec": "train.py:step"},
        "calls": "calls.jsonl",
        "policies": [{"name": "as it is", "policy": {}}],
        **more,
    }


class Jobs(unittest.TestCase):
    def test_defaults(self) -> None:
        read = job_of_json(job())
        self.assertEqual((read.repetitions, read.passes, read.seed), (3, 3, 0))
        self.assertIsNone(read.tolerance)
        self.assertEqual(read.subject.spec, "train.py:step")

    def test_null_is_the_default(self) -> None:
        read = job_of_json(job(repetitions=None, threads=None, device=None, tolerance=None))
        self.assertEqual((read.repetitions, read.threads, read.device), (3, None, ""))

    def test_a_policy_may_be_words(self) -> None:
        told = [{"name": "m", "policy": "mark_dynamic(x, 0)", "predicted": {"graphs": 1}}]
        read = job_of_json(job(policies=told)).policies[0]
        self.assertEqual(read.policy.marks[0].source, "x")
        self.assertEqual((read.given, read.predicted), ("mark_dynamic(x, 0)", {"graphs": 1}))

    def test_errors_have_a_place(self) -> None:
        both = [{"name": "a"}, {"name": "a"}]
        for value, words in (
            (job(schema="shapewise.replay-job/2"), "job.schema"),
            (job(polices=[]), "did you mean 'policies'?"),
            (job(policies=[]), "job.policies: expected at least one policy"),
            (job(policies=both), "two are named 'a'"),
            (job(policies=[{"policy": {}}]), "job.policies[0].name: it is missing"),
            (
                job(policies=[{"name": "a", "policy": {"x": 1}}]),
                "job.policies[0].policy: no member",
            ),
            (job(repetitions=0), "job.repetitions: 0 is below 1"),
            (job(repetitions=True), "expected a whole number"),
            (job(threads=0), "job.threads"),
            (job(cold_repetitions=0), "job.cold_repetitions"),
            (job(tolerance=-1), "job.tolerance"),
            (job(calls=None), "job.calls: it is missing"),
            (job(subject={"kind": "module"}), "job.subject.kind"),
            (job(subject={"kind": "pt2"}), "job.subject.path: it is missing"),
            (job(subject={"kind": "pt2", "path": "a.pt2"}), "job.subject.trust: a.pt2 can execute"),
            (
                job(subject={"kind": "graph", "path": "graph.py", "trust": False}),
                "job.subject.trust: graph.py can execute",
            ),
            (job(subject={"kind": "callable", "spec": "train.py"}), "FILE.py:NAME"),
            (
                job(subject={"kind": "callable", "spec": "a:b", "ranges": {"x": [3, 3]}}),
                "job.subject.ranges.x: it is empty",
            ),
            (None, "job: expected an object, not null"),
        ):
            with self.subTest(words), self.assertRaises(ReplayError) as raised:
                job_of_json(value)
            self.assertIn(words, str(raised.exception))


class Histories(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "calls.jsonl"

    def write(self, *lines: Any) -> None:
        texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
        self.path.write_text("\n".join(texts) + "\n", encoding="utf-8")

    def test_equal_calls_are_kept_once_and_in_order(self) -> None:
        a, b = {"inputs": {"x": {"size": [2]}}}, {"inputs": {"x": {"size": [3]}}}
        self.write({"schema": "shapewise.calls/1"}, a, b, {**a, "times": 2}, {**a, "grad": "off"})
        history = read_history(self.path)
        self.assertEqual(history.order, [0, 1, 0, 0, 2])
        self.assertEqual([call.grad for call in history.distinct], ["on", "on", "off"])
        self.assertEqual((history.damaged_lines, history.other_calls), (0, 0))

    def test_damaged_lines_are_counted(self) -> None:
        good: dict[str, Any] = {"inputs": {}}
        self.write("{", "[]", {"times": 2}, {**good, "times": 0}, {**good, "grad": "maybe"}, good)
        history = read_history(self.path)
        self.assertEqual((len(history.order), history.damaged_lines), (1, 5))

    def test_one_function_of_one_rank_is_chosen(self) -> None:
        step, loss = {"function": "step", "inputs": {}}, {"function": "loss", "inputs": {}}
        self.write(loss, step, step, {**loss, "rank": 1, "times": 9})
        history = read_history(self.path)
        self.assertEqual(
            (history.function, len(history.order), history.other_calls), ("step", 2, 10)
        )
        self.assertEqual(len(read_history(self.path, "loss").order), 1)

    def test_unreadable_input_is_reported(self) -> None:
        self.write("no calls")
        for path, function, words in (
            (self.path, "", "no call records"),
            (self.path.with_name("missing"), "", "missing"),
        ):
            with self.subTest(words), self.assertRaises(ReplayError) as raised:
                read_history(path, function)
            self.assertIn(words, str(raised.exception))
        self.write({"function": "step", "inputs": {}})
        with self.assertRaisesRegex(ReplayError, "no call of 'stop'; it has step"):
            read_history(self.path, "stop")


class CudaGraphs(unittest.TestCase):
    def test_what_is_called_often_enough_pays(self) -> None:
        history = read_history_of([0] * 90 + [1] * 10)
        row = {"capture_bytes": 8, "launch_seconds": 0.003, "replay_seconds": 0.001, "error": None}
        sizes: list[dict[str, Any]] = [
            {"call": 0, "capture_seconds": 0.1, **row},
            {"call": 1, "capture_seconds": 0.1, **row},
            {"call": 2, "error": "RuntimeError: it cannot be recorded"},
        ]
        told = sizes_that_pay(sizes, history, horizon=None)
        self.assertEqual(told["capture"], [0])
        self.assertEqual(told["sizes"][0]["pays_after_calls"], 50)
        self.assertAlmostEqual(told["saved_seconds"], 90 * 0.002 - 0.1)
        self.assertEqual(sizes_that_pay(sizes, history, horizon=1000)["capture"], [0, 1])

    def test_a_replay_that_saves_nothing_never_pays(self) -> None:
        row = {"capture_bytes": 8, "launch_seconds": 0.001, "replay_seconds": 0.002, "error": None}
        told = sizes_that_pay(
            [{"call": 0, "capture_seconds": 0.0, **row}], read_history_of([0]), horizon=None
        )
        self.assertEqual(told["capture"], [])
        self.assertIsNone(told["sizes"][0]["pays_after_calls"])


def read_history_of(order: list[int]) -> Any:
    """A history whose calls come in this order."""
    from shapewise.replay.calls import History

    return History(order=order)


class Version(unittest.TestCase):
    def test_it_stands_once_and_the_others_find_it_there(self) -> None:
        text = (ROOT / "python/shapewise/__init__.py").read_text(encoding="utf-8")
        project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
        self.assertIn('input = "python/shapewise/__init__.py"', project)
        found = re.search(r"^regex = '(.*)'$", project, re.MULTILINE)
        self.assertIsNotNone(found)
        assert found is not None
        version = re.search(found[1], text, re.MULTILINE)
        self.assertEqual(version and version["value"], shapewise.VERSION)
        # CMake takes the first three numbers of the line.
        self.assertRegex(text, r'(?m)^VERSION = "\d+\.\d+\.\d+"$')
        cmake = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
        self.assertNotIn(shapewise.VERSION, cmake + project)


if __name__ == "__main__":
    unittest.main()
