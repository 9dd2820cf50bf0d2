"""JSON results, held against the schemas that the program itself prints.

Schemas allow members that they do not describe, so that readers of today can read results of
tomorrow. Here they are closed: whatever the program prints has to be described.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

try:
    import jsonschema
except ImportError:
    jsonschema = None

PREFIX = "shapewise."
# Documented elsewhere: what replays are made of (analyzer/docs/replay.md).
UNDESCRIBED = {"program", "replay-job", "calls"}


def resolve(reference: str, root: dict[str, Any]) -> dict[str, Any]:
    """What "#/$defs/name" of a schema names."""
    found: Any = root
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found


def closed(node: Any, root: dict[str, Any]) -> Any:
    """The schema `node` of `root`, in which no object has a member that is not described."""
    if isinstance(node, list):
        return [closed(item, root) for item in node]
    if not isinstance(node, dict):
        return node
    result = {
        key: {name: closed(schema, root) for name, schema in value.items()}
        if key in ("properties", "$defs")
        else value
        if key in ("if", "then", "enum", "const", "required")
        else closed(value, root)
        for key, value in node.items()
    }
    if "properties" in node and "additionalProperties" not in node:
        # Shared parts are merged into the object: if each were closed separately, each would
        # reject the members of the other.
        for part in [part for part in node.get("allOf", []) if "$ref" in part]:
            common = closed(resolve(part["$ref"], root), root)
            result["properties"] = {**common["properties"], **result["properties"]}
            result["required"] = [*common["required"], *result.get("required", [])]
        result["allOf"] = [part for part in result.get("allOf", []) if "$ref" not in part]
        if not result["allOf"]:
            del result["allOf"]
        result["additionalProperties"] = False
    return result


class Schemas:
    """The schemas of one program; each is asked for once."""

    def __init__(self, tool: Path | str) -> None:
        self.tool = str(tool)
        listed = self._run("schema").splitlines()
        self.titles = {line.split()[0]: line.split(maxsplit=1)[1] for line in listed}
        self._schemas: dict[str, dict[str, Any]] = {}
        self._validators: dict[str, Any] = {}

    def _run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.tool, *arguments], capture_output=True, text=True, timeout=60, check=True
        )
        return done.stdout

    def schema(self, name: str) -> dict[str, Any]:
        """The schema called `name`, as it is printed."""
        if name not in self._schemas:
            self._schemas[name] = json.loads(self._run("schema", name))
        return self._schemas[name]

    def validator(self, name: str, *, is_closed: bool = True) -> Any:
        """What judges values by the schema; as it is printed, or closed."""
        key = f"{name} {is_closed}"
        if key not in self._validators:
            schema = self.schema(name)
            self._validators[key] = jsonschema.Draft202012Validator(
                closed(schema, schema) if is_closed else schema
            )
        return self._validators[key]

    def problems(self, name: str, value: Any) -> list[str]:
        """What is wrong with `value`; empty: nothing is."""
        if name not in self.titles:
            return [f"there is no schema '{name}'"]
        found = []
        for error in self.validator(name).iter_errors(value):
            best = jsonschema.exceptions.best_match([error])
            place = "/".join(str(part) for part in best.absolute_path)
            found.append(f"schema {name}: {place}: {best.message[:300]}")
        return found

    def problems_of_result(self, value: Any) -> list[str]:
        """The same of a result that names its schema itself; of anything else nothing."""
        named = value.get("schema") if isinstance(value, dict) else None
        if not isinstance(named, str) or not named.startswith(PREFIX):
            return []
        name = named.removeprefix(PREFIX).partition("/")[0]
        return [] if name in UNDESCRIBED else self.problems(name, value)

    def problems_of_output(self, arguments: list[str], text: str) -> list[str]:
        """What is wrong with what `shapewise ARGUMENTS...` printed, if that is JSON."""
        form = format_of(arguments)
        # `run` prints the output of the program that it runs.
        if not text or form not in (None, "json", "jsonl") or arguments[:1] == ["run"]:
            return []
        if form == "jsonl":
            name = f"{arguments[0]}-lines"
            return [
                problem for line in text.splitlines() for problem in self.problems(name, json.loads(line))
            ]
        try:
            value = json.loads(text)
        except ValueError:
            return ["this is no JSON"] if form == "json" else []
        if form == "json" and (not isinstance(value, dict) or "schema" not in value):
            return ["a JSON result has to name its schema"]
        return self.problems_of_result(value)


def format_of(arguments: list[str]) -> str | None:
    """What --format says; None where it is not there."""
    for i, argument in enumerate(arguments):
        if argument.startswith("--format="):
            return argument.partition("=")[2]
        if argument == "--format" and i + 1 < len(arguments):
            return arguments[i + 1]
    return None


def load(tool: Path | str) -> Schemas | None:
    """The schemas of `tool`; None where the Python package jsonschema is not installed."""
    return Schemas(tool) if jsonschema is not None else None
