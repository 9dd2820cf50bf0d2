"""Replays every captured run with recorded calls, and holds the predictions against its truth.

Each capture has a `truth.json` whose `calls` the program itself wrote, and `frames`, which the
process counted at its exit. This turns the calls into call records (analyzer/docs/call-records.md),
runs `shapewise predict --log LOG --calls RECORDS --format json`, and compares the predicted compiles
of every frame with `compiled_ok`. What the calls note in words ("hook removed") is no record and is
left out: what matters of it has to come out of the log.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# Keys of a call that are no arguments: what the author noted, and what else held.
NOTES = {"fn", "changed", "note", "rank"}
STANCES = {
    "default",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
    "eager_then_compile",
    "aot_eager_then_compile",
}


def parameters_of(program: Path, function: str) -> list[str] | None:
    """The parameters of `function` ("step", "Mixer.forward") as the program declares them."""
    *owners, name = function.split(".")
    for node in ast.walk(ast.parse(program.read_text())):
        body: list[ast.stmt] | None = None
        if owners and isinstance(node, ast.ClassDef) and node.name == owners[-1]:
            body = node.body
        elif not owners and isinstance(node, ast.Module):
            body = node.body
        for item in body or []:
            if isinstance(item, ast.FunctionDef) and item.name == name:
                names = [argument.arg for argument in item.args.args + item.args.kwonlyargs]
                return names[1:] if owners else names
    return None


def is_sizes(value: object) -> bool:
    return isinstance(value, list) and all(type(item) is int for item in value)


def value_of(value: object) -> object:
    """What a call record holds for one recorded value."""
    if isinstance(value, list):
        if is_sizes(value):
            return {"size": value}
        return {"list": [value_of(item) for item in value]}
    if isinstance(value, tuple):
        return {"tuple": [value_of(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": {str(key): value_of(item) for key, item in value.items()}}
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        try:
            literal = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return {"opaque": value}
        return literal if isinstance(literal, str) else value_of(literal)
    return {"opaque": repr(value)}


def containers_of(call: Json, parameters: list[str]) -> dict[str, object]:
    """Lists of which a call holds the length, and perhaps the shapes: "n_chunks", "chunk_shapes"."""
    found: dict[str, object] = {}
    for parameter in parameters:
        if parameter in call or f"n_{parameter}" not in call:
            continue
        shapes = next(
            (
                value
                for key, value in call.items()
                if key.endswith("_shapes") and parameter.startswith(key.removesuffix("_shapes"))
            ),
            None,
        )
        length = call[f"n_{parameter}"]
        items = [value_of(shape) for shape in shapes] if shapes else [{"unknown": True}] * length
        found[parameter] = {"list": items}
    return found


def tensor_of(call: Json, name: str) -> Json:
    """A tensor with what the call holds of its layout, dtype and class."""
    tensor: Json = {"size": call[name]}
    for key, suffix in (("stride", "stride"), ("dtype", "dtype"), ("type", "type")):
        if f"{name}_{suffix}" in call:
            tensor[key] = call[f"{name}_{suffix}"]
    return tensor


def inputs_of(call: Json, parameters: list[str] | None) -> dict[str, object]:
    names = parameters
    if names is None:
        names = [key for key, value in call.items() if key not in NOTES and is_sizes(value)]
    inputs: dict[str, object] = dict(containers_of(call, names))
    for name in names:
        if name == "fn" or name not in call:
            continue
        inputs[name] = tensor_of(call, name) if is_sizes(call[name]) else value_of(call[name])
    # mark_dynamic(x, 0, min=.., max=..) on the first tensor.
    mark = call.get("mark")
    first = next((value for value in inputs.values() if isinstance(value, dict)), None)
    if isinstance(mark, dict) and first is not None:
        first["marks"] = [{"dim": 0, "kind": "dynamic", **mark}]
    return {name: inputs[name] for name in names if name in inputs}


def records_of(calls: list[Json], program: Path) -> list[Json]:
    """The call records of one process."""
    records = []
    regions: dict[str, int] = {}
    for call in calls:
        record: Json = {
            "function": call["fn"],
            "inputs": inputs_of(call, parameters_of(program, call["fn"])),
        }
        if "rank" in call:
            record["rank"] = call["rank"]
        if "region" in call:
            record["wrapper"] = regions.setdefault(call["region"], len(regions))
        if call.get("stance") in STANCES:
            record["stance"] = call["stance"]
        if "no_grad" in str(call.get("mode", "")):
            record["grad"] = "off"
        records.append(record)
    return records


@dataclass
class Frame:
    """One code object: what the process counted, beside what is predicted."""

    capture: str
    rank: int
    name: str
    ids: list[str]
    truth: int
    predicted: int | None = None
    why: str = "the log does not tell of it"
    verdict: str = "absent"
    assumed: str = ""
    is_data_dependent: bool = False

    @property
    def is_right(self) -> bool:
        return self.predicted == self.truth


def frame_number(compile_id: str) -> str:
    return compile_id.split("_")[0].rpartition("/")[0]
