#!/usr/bin/env python3
"""Checks the schemas that `shapewise schema` prints: that they are schemas, tell of every member, hold for what
the program prints over corpora/, and refuse what is damaged.

    tests/tools/check_schemas.py PROGRAM CORPORA

Exit status: 0 all of that, 1 not, 77 the Python package jsonschema is not installed.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import json_schemas  # noqa: E402 - in the folder of tests/support

# Damages tried on each result: enough to meet every member of it, and done in seconds.
MOST_DAMAGES = 200
MODEL = """import torch


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print("x", x)
        return x * x.sum().item()
"""
BROKEN = "def f(:\n"
LENGTHS = "length,count\n17,40\n33,20\n90,5\n120,1\n"


def printed(program: str, arguments: list[str], folder: str) -> str:
    """What a command prints: something also where it could read only a part, nothing where none."""
    done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, timeout=120, check=False)
    return done.stdout


def examples(corpora: Path) -> Iterator[tuple[str, list[str]]]:
    """Commands, with the name of the schema of what they print."""
    captured = corpora / "captured/2.13.0"
    log = str(captured / "222-limit-cache/log.txt")
    trace = str(captured / "251-ranks-lengths/trace")
    guards = str(captured / "261-guards-trace/trace")
    yield "lint", ["lint", "--format", "json", "--events", log]
    yield "lint", ["lint", "--format", "json", "--events", trace]
    yield "lint-lines", ["lint", "--format", "jsonl", log]
    yield "check", ["check", "--format", "json", "model.py", "broken.py"]
    yield "check-lines", ["check", "--format", "jsonl", "model.py", "broken.py"]
    yield "check-statistics", ["check", "--statistics", "--format", "json", "model.py"]
    yield "rules", ["rules", "--format", "json"]
    yield "graph", ["graph", "--format", "json", str(corpora / "dumps/dynamo_0_readable.txt")]
    yield "guards", ["guards", "--format", "json", guards]
    yield "advise", ["advise", "--format", "json", log]
    yield "predict", ["predict", "--log", log, "--assume-no-questions", "--policy", "limit 64", "--format", "json"]
    yield "predict-lines", ["predict", "--log", log, "--assume-no-questions", "--format", "jsonl"]
    yield "buckets", ["buckets", "lengths.csv", "--buckets", "2", "--compare", "vllm", "--format", "json"]
    yield "bucket-plan", ["buckets", "lengths.csv", "--buckets", "2", "--emit", "json"]
    yield "diff", ["diff", "--format", "json", trace, log]


def more_examples(corpora: Path) -> Iterator[list[str]]:
    """Further commands over what there is in corpora/."""
    for folder in sorted((corpora / "captured/2.13.0").iterdir()):
        for name in ("trace", "log.txt", "log.txt.gz"):
            if (path := folder / name).exists():
                yield ["lint", "--format", "json", "--events", str(path)]
                yield ["guards", "--format", "json", str(path)]
                yield ["advise", "--format", "json", str(path)]
                yield ["predict", "--log", str(path), "--assume-no-questions", "--format", "json"]
    for path in sorted((corpora / "minimal").glob("*.log")):
        yield ["lint", "--format", "json", "--events", str(path)]
    for path in sorted((corpora / "dumps").iterdir()):
        yield ["graph", "--format", "json", str(path)]


def undescribed(schema: Any, root: dict[str, Any], where: str = "") -> Iterator[str]:
    """Members that a schema names and says nothing of."""
    if isinstance(schema, list):
        for item in schema:
            yield from undescribed(item, root, where)
    elif isinstance(schema, dict):
        for name, member in schema.get("properties", {}).items():
            target = json_schemas.resolve(member["$ref"], root) if "$ref" in member else {}
            if "description" not in member and "description" not in target:
                yield f"{where}/{name}"
        for key, value in schema.items():
            if key not in ("if", "then"):
                yield from undescribed(value, root, f"{where}/{key}")


def may_be_missing(schema: Any) -> Iterator[str]:
    """Names of members that some object of the schema need not have."""
    if isinstance(schema, list):
        for item in schema:
            yield from may_be_missing(item)
    elif isinstance(schema, dict):
        for name in schema.get("properties", {}):
            if name not in schema.get("required", []):
                yield name
        for value in schema.values():
            yield from may_be_missing(value)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all values within a result; of a list only to the first."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, member in value.items():
            yield from places(member, (*path, key))
    elif isinstance(value, list):
        for i, item in enumerate(value[:1]):
            yield from places(item, (*path, i))


def damaged(value: Any, path: tuple[Any, ...], what: str) -> Any:
    """A copy of `value` in which the place `path` is damaged; None if that is no damage there."""
    result = copy.deepcopy(value)
    parent = result
    for part in path[:-1]:
        parent = parent[part]
    if what == "other type":
        parent[path[-1]] = {"no": {"such": 1}}
    elif isinstance(parent, dict):
        del parent[path[-1]]
    else:
        return None
    return result


def check_damages(name: str, schemas: json_schemas.Schemas, value: Any) -> Iterator[str]:
    """Damages of `value` that its schema lets pass."""
    validator = schemas.validator(name)
    published = schemas.validator(name, is_closed=False)
    optional = set(may_be_missing(schemas.schema(name)))
    free = {"ops", "compiled_for", "snippets"}
    ways = list(places(value))
    step = max(1, len(ways) // MOST_DAMAGES)
    for path in ways[::step]:
        if validator.is_valid(damaged(value, path, "other type")):
            yield f"{name}: {path} may be of another type"
        is_free = len(path) > 1 and path[-2] in free
        without = None if path[-1] in optional or is_free else damaged(value, path, "missing")
        if without is not None and validator.is_valid(without):
            yield f"{name}: {path} may be missing"
    more = {**value, "unheard_of": 1}
    if validator.is_valid(more):
        yield f"{name}: closed, it takes a member that is not described"
    if not published.is_valid(more):
        yield f"{name}: as it is printed, it refuses a member that may come later"


def check_all(program: str, corpora: Path, schemas: json_schemas.Schemas, folder: str) -> Iterator[str]:
    """Everything that is wrong."""
    for name in schemas.titles:
        schema = schemas.schema(name)
        try:
            json_schemas.jsonschema.Draft202012Validator.check_schema(schema)
        except json_schemas.jsonschema.SchemaError as error:
            yield f"{name}: no schema: {error.message}"
        if schema["title"] != schemas.titles[name]:
            yield f"{name}: listed as '{schemas.titles[name]}'"
        for place in undescribed(schema, schema):
            yield f"{name}: {place} has no description"
    seen = set()
    for name, arguments in examples(corpora):
        text = printed(program, arguments, folder)
        lines = text.splitlines() if name.endswith("-lines") else [text]
        for line in lines:
            value = json.loads(line)
            yield from schemas.problems(name, value)
            if name.endswith("-lines") or name not in seen:
                yield from check_damages(name, schemas, value)
        seen.add(name)
    count = 0
    for arguments in more_examples(corpora):
        text = printed(program, arguments, folder)
        for problem in schemas.problems_of_output(arguments, text):
            yield f"{' '.join(arguments)}: {problem}"
        count += bool(text)
    print(f"{len(schemas.titles)} schemas, results of {len(seen)} damaged; {count} more results over corpora/")


def main() -> int:
    program, corpora = (Path(argument).resolve() for argument in sys.argv[1:3])
    schemas = json_schemas.load(program)
    if schemas is None:
        print("check_schemas: no Python package jsonschema")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "model.py").write_text(MODEL, encoding="utf-8")
        Path(folder, "broken.py").write_text(BROKEN, encoding="utf-8")
        Path(folder, "lengths.csv").write_text(LENGTHS, encoding="utf-8")
        problems = list(dict.fromkeys(check_all(str(program), corpora, schemas, folder)))
    for problem in problems[:60]:
        print(f"check_schemas: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
