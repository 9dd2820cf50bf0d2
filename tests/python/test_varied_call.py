"""A recorded call with another size."""

from __future__ import annotations

import unittest
from typing import Any

from shapewise.replay.calls import Call
from shapewise.replay.errors import ReplayError
from shapewise.replay.job import VariedDim, job_of_json
from shapewise.replay.varied_call import varied_call


def call(**inputs: Any) -> Call:
    """A call that brings these."""
    return Call(inputs, "on", "", "default", 0, "")


def tensor(*size: int, **more: Any) -> dict[str, Any]:
    """The record of a tensor."""
    return {"size": list(size), "dtype": "int64", **more}


class VariedCalls(unittest.TestCase):
    def test_all_dims_that_are_named_have_the_new_size(self) -> None:
        brought = call(ids=tensor(4, 30), labels=tensor(4, 30), image=tensor(4, 3, 30))
        varied = varied_call(brought, [VariedDim("ids", 1), VariedDim("labels", 1)], 64)
        sizes = {name: told["size"] for name, told in varied.inputs.items()}
        self.assertEqual(sizes, {"ids": [4, 64], "labels": [4, 64], "image": [4, 3, 30]})

    def test_the_recorded_call_stays_as_it_is(self) -> None:
        brought = call(ids=tensor(4, 30))
        self.assertNotEqual(varied_call(brought, [VariedDim("ids", 1)], 64).key, brought.key)
        self.assertEqual(brought.inputs["ids"]["size"], [4, 30])

    def test_inputs_are_named_as_in_the_program_or_as_in_guards(self) -> None:
        for recorded in ("ids", "L['ids']"):
            for asked in ("ids", "L['ids']", 'L["ids"]'):
                varied = varied_call(call(**{recorded: tensor(2, 8)}), [VariedDim(asked, 1)], 9)
                self.assertEqual(varied.inputs[recorded]["size"], [2, 9], (recorded, asked))

    def test_parts_of_containers(self) -> None:
        brought = call(batch={"dict": {"ids": tensor(2, 8), "rest": {"list": [1, tensor(8)]}}})
        varied = varied_call(
            brought, [VariedDim("batch['ids']", 1), VariedDim("batch['rest'][1]", 0)], 16
        )
        told = varied.inputs["batch"]["dict"]
        self.assertEqual(told["ids"]["size"], [2, 16])
        self.assertEqual(told["rest"]["list"][1]["size"], [16])

    def test_dense_tensors_keep_their_order_in_memory(self) -> None:
        for size, stride, expected in (
            ([4, 30], [30, 1], [64, 1]),
            ([4, 30], [1, 4], [1, 4]),  # transposed
            ([2, 8, 5], [40, 1, 8], [320, 1, 64]),  # channels last
            ([1, 30], [30, 1], [64, 1]),
        ):
            varied = varied_call(call(x=tensor(*size, stride=stride)), [VariedDim("x", 1)], 64)
            self.assertEqual(varied.inputs["x"]["stride"], expected, (size, stride))

    def test_a_tensor_with_gaps_becomes_contiguous(self) -> None:
        varied = varied_call(call(x=tensor(4, 30, stride=[100, 1])), [VariedDim("x", 1)], 64)
        self.assertNotIn("stride", varied.inputs["x"])

    def test_recorded_marks_on_the_dim_are_left_out(self) -> None:
        marks = [{"dim": 0, "kind": "static"}, {"dim": 1, "kind": "dynamic"}]
        varied = varied_call(call(x=tensor(4, 30, marks=marks)), [VariedDim("x", 1)], 64)
        self.assertEqual(varied.inputs["x"]["marks"], [{"dim": 0, "kind": "static"}])

    def test_missing_things_are_reported(self) -> None:
        brought = call(x=tensor(4, 30), n=3)
        for source, dim, words in (
            ("y", 0, "no tensor 'y'"),
            ("n", 0, "no tensor 'n'"),
            ("x[0]", 0, "no tensor 'x[0]'"),
            ("x", 2, "'x' has no dim 2"),
        ):
            with self.subTest(source), self.assertRaises(ReplayError) as raised:
                varied_call(brought, [VariedDim(source, dim)], 64)
            self.assertIn(words, str(raised.exception))


class VariedDims(unittest.TestCase):
    def test_a_job_that_varies_a_size_needs_no_policies(self) -> None:
        told = {
            "subject": {"kind": "callable", "spec": "a.py:b"},
            "calls": "calls.jsonl",
            "varied": [{"arg": "ids", "dim": 1}],
        }
        self.assertEqual(job_of_json(told).varied, (VariedDim("ids", 1),))
        for varied, words in (
            ([{"arg": "ids"}], "job.varied[0].dim: it is missing"),
            ([{"arg": "ids", "dim": -1}], "below 0"),
            ([{"dim": 1}], "job.varied[0].arg: it is missing"),
            ([], "job.policies: expected at least one policy"),
        ):
            with self.subTest(words), self.assertRaises(ReplayError) as raised:
                job_of_json({**told, "varied": varied})
            self.assertIn(words, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
