"""The answer made of measurements, and the program of the best policy."""

from __future__ import annotations

import ast
import unittest
from typing import Any

from shapewise.replay.calls import Call, History
from shapewise.replay.job import Job, job_of_json
from shapewise.replay.measure import answer
from shapewise.replay.script import script_of


def history() -> History:
    """Four calls, two of them distinct."""
    calls = [
        Call({"L['x']": {"size": [length, 3]}}, "on", "", "default", 0, str(length))
        for length in (5, 9)
    ]
    return History("step", calls, [0, 1, 1, 0])


def job(policies: dict[str, Any], **more: Any) -> Job:
    """A job with these policies."""
    return job_of_json(
        {
            "subject": {"kind": "callable", "spec": "train.py:step"},
            "calls": "calls.jsonl",
            "policies": [{"name": name, "policy": told} for name, told in policies.items()],
            **more,
        }
    )


def result(rate: float, **more: Any) -> dict[str, Any]:
    """What one process found out."""
    told = {"wall_seconds": 10.0, "compiles": 2, "error_calls": 0, "device": "cpu", "torch": "2.13"}
    rates = [rate, rate * 1.01, rate * 0.99]
    return {**told, "steps_per_second": rates, "peak_bytes": 100, "equal": True, **more}


class Answers(unittest.TestCase):
    def test_processes_with_cold_caches_measure_compile_time(self) -> None:
        told = job({"p": {}}, horizon=104, repetitions=3, cold_repetitions=1)
        first = result(10, wall_seconds=30.0, compile_seconds=20.0)
        later = [
            result(rate, wall_seconds=3.0, compile_seconds=2.0, reuses_caches=True)
            for rate in (20, 40)
        ]
        row = answer(told, history(), {"p": [first, *later]})["policies"][0]
        self.assertEqual((row["wall_seconds"], row["compile_seconds"]), (30, 20))
        self.assertEqual(row["wall_seconds_interval"], [30, 30])
        # 30 s for the four recorded calls, and 100 more at 10, 20 or 40 a second.
        self.assertEqual(row["horizon_seconds"], 35)
        self.assertEqual(row["steps_per_second"], 20)

    def test_what_raised_or_differs_is_never_best(self) -> None:
        told = job({"right": {}, "wrong": {}, "raised": {}, "unknown": {}})
        results = {
            "right": [result(10), result(10.1), result(10)],
            "wrong": [result(99, equal=False, equal_why="apart"), result(99), result(99)],
            "raised": [{"error": "took longer than 5 s"}],
            "unknown": [result(20, equal=None), result(20.1), result(20)],
        }
        made = answer(told, history(), results)
        self.assertEqual(made["best"], ["unknown"])
        rows = {row["name"]: row for row in made["policies"]}
        self.assertEqual(rows["raised"]["error"], "took longer than 5 s")
        self.assertIsNone(rows["raised"]["steps_per_second"])
        self.assertIsNone(rows["raised"]["compiles"])
        self.assertEqual(rows["right"]["steps_per_second"], 10)
        self.assertEqual(rows["wrong"]["equal_why"], "apart")
        self.assertEqual((made["calls"]["recorded"], made["calls"]["distinct"]), (4, 2))

    def test_a_repetition_that_raised_spoils_the_policy(self) -> None:
        results = {"a": [result(10), {"error": "died"}]}
        made = answer(job({"a": {}}), history(), results)
        self.assertEqual((made["best"], made["policies"][0]["error"]), ([], "died"))

    def test_a_short_run_is_won_by_what_compiles_less(self) -> None:
        policies: dict[str, Any] = {"compiled": {}, "plain": {"eager": True}}
        results = {
            "compiled": [result(20, wall_seconds=30.0 + i / 10) for i in range(3)],
            "plain": [result(10, wall_seconds=0.4 + i / 1000) for i in range(3)],
        }
        for horizon, best in ((100, "plain"), (10_000, "compiled"), (None, "compiled")):
            with self.subTest(horizon):
                made = answer(job(policies, horizon=horizon), history(), results)
                self.assertEqual(made["best"], [best])
        row = answer(job(policies, horizon=104), history(), results)["policies"][1]
        self.assertAlmostEqual(row["horizon_seconds"], 0.401 + 100 / 10)

    def test_one_repetition_gives_a_note(self) -> None:
        made = answer(
            job({"a": {}, "b": {}}, repetitions=1), history(), {"a": [result(1)], "b": []}
        )
        self.assertIn("one repetition cannot show differences", made["notes"])


class Scripts(unittest.TestCase):
    def script(self, policy: Any, **more: Any) -> str:
        told = job({"p": policy}, **more)
        text = script_of(told, told.policies[0], history(), "cpu", factory=False)
        ast.parse(text)
        return text

    def test_it_needs_nothing_of_the_package(self) -> None:
        imported = {
            alias.name.partition(".")[0]
            for node in ast.walk(ast.parse(self.script({})))
            for alias in (node.names if isinstance(node, ast.Import) else ())
        }
        self.assertNotIn("shapewise", imported)
        self.assertIn("torch", imported)

    def test_what_the_policy_does_stands_in_three_functions(self) -> None:
        text = self.script(
            {
                "dynamic": False,
                "config": {"recompile_limit": 16},
                "shape_config": {"use_duck_shape": False},
                "buckets": [{"arg": "L['x']", "dim": 0, "sizes": [8, 16], "mark_static": True}],
                "marks": [{"arg": "x", "dim": 1, "kind": "dynamic", "min": 2, "calls": [0]}],
            }
        )
        for line in (
            "    torch._dynamo.config.recompile_limit = 16\n",
            "    torch.fx.experimental._config.use_duck_shape = False\n",
            "    return torch.compile(target, dynamic=False)\n",
            "    pad_part(values, ('x',), 0, (8, 16), 0)\n",
            "    mark_part(values, ('x',), 0, 'static', None, None)\n",
            "    if index in (0,): mark_part(values, ('x',), 1, 'dynamic', 2, None)\n",
            "ORDER = [(0, 1), (1, 2), (0, 1)]\n",
        ):
            self.assertIn(line, text)

    def test_what_is_not_compiled_is_called_as_it_is(self) -> None:
        text = self.script({"eager": True})
        self.assertIn("    return target\n", text)
        self.assertIn("'stance': 'force_eager'", text)

    def test_releases_before_2_13_isolate_by_code(self) -> None:
        for policy in ({"isolate": True}, {"dynamic": True}):
            text = self.script(policy)
            is_isolated = "isolate" in policy
            self.assertEqual("target = with_own_code(target, number)\n" in text, is_isolated)
            self.assertEqual(
                "return torch.compile(target, dynamic=True)\n" in text, not is_isolated
            )

    def test_regions(self) -> None:
        for way, words in (("compile", "torch.compile(module.forward)"), ("nested", "marked = {}")):
            regions = {"modules": ["layers.*"], "way": way}
            self.assertIn(words, self.script({"regions": regions}))


if __name__ == "__main__":
    unittest.main()
