"""shapewise.lint() and the others: the types are those of the schemas, the values those of JSON.

SHAPEWISE_PROGRAM names the program; without it only what needs none is tested.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import os
import runpy
import subprocess
import sys
import tempfile
import types
import typing
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

import shapewise
from shapewise import analyze, results

ROOT = Path(__file__).resolve().parents[2]
LOG = ROOT / "corpora/captured/2.13.0/222-limit-cache/log.txt"
PROGRAM = os.environ.get("SHAPEWISE_PROGRAM")
RESULTS = {
    "lint": results.LintResult,
    "check": results.CheckResult,
    "advise": results.Advice,
    "buckets": results.Buckets,
}
MODEL = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x * x.sum().item()\n"
# Not in JSON.
OWN = {"raw", "status", "messages"}


class Schema:
    """A part of the whole schema of a result."""

    def __init__(self, whole: Any, part: Any) -> None:
        self.whole = whole
        self.part = part

    def resolved(self) -> Schema:
        """The schema itself, without references."""
        reference = self.part.get("$ref")
        if reference is None:
            return self
        part = self.whole
        for name in reference.removeprefix("#/").split("/"):
            part = part[name]
        return Schema(self.whole, part).resolved()

    def members(self) -> dict[str, Schema]:
        """The members of the object, with those of what it extends."""
        known: dict[str, Schema] = {}
        for base in self.part.get("allOf", ()):
            known |= Schema(self.whole, base).resolved().members()
        own = self.part.get("properties", {})
        return known | {name: Schema(self.whole, part) for name, part in own.items()}

    def required(self) -> set[str]:
        names = set(self.part.get("required", ()))
        for base in self.part.get("allOf", ()):
            names |= Schema(self.whole, base).resolved().required()
        return names


def classes_in(kind: Any) -> list[type]:
    """The dataclasses that a type consists of."""
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        return [kind]
    return [each for part in typing.get_args(kind) for each in classes_in(part)]


def may_be_none(kind: Any) -> bool:
    is_union = typing.get_origin(kind) in (typing.Union, types.UnionType)
    return is_union and type(None) in typing.get_args(kind)


class Types(unittest.TestCase):
    def compare(self, cls: type, schema: Schema, seen: set[type]) -> None:
        """Each field is a member, has a default if the member may be missing, may be null alike."""
        if cls in seen:
            return
        seen.add(cls)
        members = schema.members()
        hints = typing.get_type_hints(cls)
        for each in dataclasses.fields(cls):
            if each.name in OWN:
                continue
            key = each.metadata.get("key", each.name)
            self.assertIn(key, members, f"{cls.__name__}.{each.name}")
            member = members[key].resolved()
            if each.default is dataclasses.MISSING:
                self.assertIn(key, schema.required(), f"{cls.__name__}.{each.name}")
            kinds = member.part.get("type", "")
            if kinds:
                self.assertEqual(
                    "null" in kinds or each.default is None,
                    may_be_none(hints[each.name]),
                    f"{cls.__name__}.{each.name}: {kinds}",
                )
            part = member.part.get("items", member.part)
            for inner in classes_in(hints[each.name]):
                self.compare(inner, Schema(member.whole, part).resolved(), seen)

    @unittest.skipUnless(PROGRAM, "SHAPEWISE_PROGRAM is not set")
    def test_the_fields_are_those_of_the_schemas(self) -> None:
        for name, cls in RESULTS.items():
            printed = subprocess.run(
                [str(PROGRAM), "schema", name], capture_output=True, check=True
            )
            schema = json.loads(printed.stdout)
            self.compare(cls, Schema(schema, schema), set())

    def test_an_unknown_member_is_kept(self) -> None:
        place = results.parse(
            results.Place, {"function": "f", "file": None, "line": 3, "module": "m"}
        )
        self.assertEqual((place.function, place.file, place.line), ("f", None, 3))
        self.assertEqual(place.raw["module"], "m")

    def test_sizes_of_several_dims_are_tuples(self) -> None:
        self.assertEqual(
            results._value(tuple[results.Sizes, ...], [[1, 2], [3, 4]]), ((1, 2), (3, 4))
        )
        self.assertEqual(results._value(tuple[results.Sizes, ...], [1, 2]), (1, 2))


class Errors(unittest.TestCase):
    def program(self, script: str) -> mock._patch[Any]:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "shapewise")
        path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        path.chmod(0o755)
        return mock.patch.object(analyze, "find_program", lambda: path)

    def test_no_program_is_an_error(self) -> None:
        with (
            mock.patch.object(analyze, "find_program", lambda: None),
            self.assertRaisesRegex(shapewise.ShapewiseError, "the program .* is not there"),
        ):
            shapewise.lint("run.log")

    def test_a_program_that_crashes_is_an_error_with_its_status(self) -> None:
        with self.program("kill -9 $$"), self.assertRaises(shapewise.ShapewiseError) as raised:
            shapewise.lint("run.log")
        self.assertEqual(raised.exception.status, -9)

    def test_a_result_of_another_kind_is_an_error(self) -> None:
        with (
            self.program("echo '{}'"),
            self.assertRaisesRegex(shapewise.ShapewiseError, "printed no result that is known"),
        ):
            shapewise.lint("run.log")

    def test_paths_and_values_that_begin_with_a_dash_are_no_options(self) -> None:
        with (
            self.program('for word; do echo "error: $word" >&2; done; exit 2'),
            self.assertRaises(shapewise.ShapewiseError) as raised,
        ):
            shapewise.buckets(["--x", Path("y")], columns=["-a", 2], buckets=3)
        self.assertEqual(
            [line.removeprefix("error: ") for line in str(raised.exception).splitlines()],
            ["buckets", "--column=-a", "--column=2", "--buckets=3", "--format=json"]
            + ["--", "--x", "y"],
        )


@unittest.skipUnless(PROGRAM, "SHAPEWISE_PROGRAM is not set")
class Program(unittest.TestCase):
    def setUp(self) -> None:
        patch = mock.patch.object(analyze, "find_program", lambda: Path(str(PROGRAM)))
        patch.start()
        self.addCleanup(patch.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # `check` keeps a cache in the folder where it runs.
        self.addCleanup(os.chdir, Path.cwd())
        os.chdir(self.folder)
        (self.folder / "model.py").write_text(MODEL, encoding="utf-8")

    def printed(self, *words: str | Path) -> Any:
        command = [str(PROGRAM), *map(str, words), "--format=json"]
        done = subprocess.run(command, capture_output=True, check=False)
        return json.loads(done.stdout)

    def test_lint(self) -> None:
        result = shapewise.lint(LOG)
        self.assertEqual(result.raw, self.printed("lint", LOG))
        self.assertEqual((result.status, result.messages), (1, ()))
        # The log prints eight recompiles and the limit; k grows in dim 2.
        self.assertEqual(result.summary.recompiles, 8)
        self.assertEqual(result.summary.recompile_limit_hits, 1)
        (finding,) = result.findings
        self.assertEqual((finding.rule, finding.severity), ("SWC003", "error"))
        assert finding.cause is not None
        self.assertEqual((finding.cause.source, finding.cause.dim), ("k", 2))
        self.assertEqual(shapewise.lint(LOG, ignore=["SWC003"]).status, 0)
        self.assertEqual(shapewise.lint(LOG, fail_on="never").status, 0)
        self.assertEqual(
            shapewise.lint("-", stdin=LOG.read_text(encoding="utf-8")).findings, result.findings
        )

    def test_check(self) -> None:
        result = shapewise.check(self.folder / "model.py")
        (finding,) = result.findings
        # `x.sum().item()` begins in column 16 of line 6.
        self.assertEqual((finding.line, finding.column), (6, 16))
        self.assertEqual(finding.function, "f")
        self.assertEqual(result.status, 1)

    def test_a_syntax_error_is_a_fault(self) -> None:
        (self.folder / "broken.py").write_text("import torch\ndef f(:\n", encoding="utf-8")
        (fault,) = shapewise.check("broken.py").faults
        self.assertEqual((fault.file, fault.line), ("broken.py", 2))

    def test_advise(self) -> None:
        result = shapewise.advise(LOG)
        self.assertEqual(result.raw, self.printed("advise", LOG))
        for index in result.plan.actions:
            self.assertTrue(result.actions[index].in_plan)

    def test_buckets(self) -> None:
        result = shapewise.buckets("-", stdin="3\n5\n3\n5\n", buckets=2)
        self.assertEqual(result.boundaries, (3, 5))
        self.assertEqual(result.padding.train, 0)

    def test_an_input_that_is_missing_is_an_error_that_keeps_the_rest(self) -> None:
        missing = str(self.folder / "missing.log")
        with self.assertRaisesRegex(
            shapewise.ShapewiseError, "missing.log: no such file"
        ) as raised:
            shapewise.lint([LOG, missing])
        self.assertEqual(raised.exception.status, 2)
        assert isinstance(raised.exception.partial, results.LintResult)
        self.assertEqual(raised.exception.partial.summary.recompiles, 8)

    def test_a_wrong_argument_is_an_error(self) -> None:
        with self.assertRaisesRegex(shapewise.ShapewiseError, "SWX"):
            shapewise.lint(LOG, select=["SWX"])

    def example(self, name: str, *words: str | Path) -> tuple[Any, list[str]]:
        """The exit status of an example, and what it prints."""
        out = io.StringIO()
        path = ROOT / "examples/python" / name
        with (
            mock.patch.object(sys, "argv", [str(path), *map(str, words)]),
            contextlib.redirect_stdout(out),
            self.assertRaises(SystemExit) as ended,
        ):
            runpy.run_path(str(path), run_name="__main__")
        return ended.exception.code, out.getvalue().splitlines()

    def test_the_examples_run(self) -> None:
        status, lines = self.example("lint_run.py", LOG)
        self.assertEqual((status, lines[0].split()[0]), (1, "SWC003"))
        self.assertEqual(lines[-1], "8 recompiles, 0 graph breaks")
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(self.example("lint_run.py", self.folder / "missing.log"), (2, []))
        status, lines = self.example("check_code.py", self.folder)
        self.assertEqual((status, f"{self.folder}/model.py:6: " in lines[0]), (1, True))
        status, lines = self.example("pad_sizes.py", "8", "8", "16", "16", "12")
        self.assertEqual(status, 0)
        self.assertEqual(lines[1], "8 -> 8")


if __name__ == "__main__":
    unittest.main()
