"""Probe runs: each function of the oracle is called a few times under TORCH_TRACE.

Sizes are marked dynamic, all unlike each other and unlike those of the scenarios; what cannot be marked is called
unmarked at three sizes. Numbers vary from call to call; words, lengths and keys are each called once.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
import torch._logging._internal as torch_logging
import torch.fx.experimental._config as shape_config

Spec = tuple[Any, ...] | str

# The oracle's scenarios draw B from 2 to 12, S from 3 to 130, H from 4 to 20, K from 1 to 6, numbers from 0 to 40.
SIZES = {"B": (13, 17, 19), "S": (149, 157, 163), "H": (29, 31, 37), "K": (7, 11, 13)}
APART = 44  # between sizes of one kind, so that no two of a call are equal
NUMBERS: dict[str, list[Any]] = {
    "int": [43, 47],
    "smallint": [6, 8],
    "idx4": [1, 2],
    "float": [1.5, 3.25],
    "bool": [True, False],
    "opt": [False, True],
    "list": [3, 2, 1],
    "dict": ["ab", "abc"],
}


def size_names(template: dict[str, Spec]) -> list[str]:
    """The names of sizes that a template of arguments speaks of."""
    names: list[str] = []
    for spec in template.values():
        for part in spec if isinstance(spec, tuple) else re.findall(r"[A-Z]\w*", spec):
            if isinstance(part, str):
                names += re.findall(r"[A-Z]\w*", part)
    return list(dict.fromkeys(names))


def size_values(template: dict[str, Spec], call: int) -> dict[str, int]:
    """A value for each name, another one in each of three calls."""
    values: dict[str, int] = {}
    seen: dict[str, int] = {}
    for name in size_names(template):
        values[name] = SIZES[name[0]][call % 3] + APART * seen.get(name[0], 0)
        seen[name[0]] = seen.get(name[0], 0) + 1
    return values


def sizes_of(parts: list[Any], values: dict[str, int]) -> list[int]:
    """Sizes given as numbers, names, or expressions of names."""
    return [eval(part, {"__builtins__": {}}, values) if isinstance(part, str) else part for part in parts]


def choices(spec: Spec) -> list[Any]:
    """What an argument is besides its sizes, call by call."""
    if isinstance(spec, tuple):
        return [None]
    kind = spec.partition("(")[0]
    if kind.startswith("str:"):
        return list(kind[4:].split(","))
    return NUMBERS.get(kind, [None])


def argument(name: str, spec: Spec, values: dict[str, int], choice: Any) -> Any:
    """One argument of one call."""
    if isinstance(spec, tuple):
        return torch.ones(sizes_of(list(spec), values))
    kind, _, rest = spec.partition("(")
    parts = [int(part) if part.isdigit() else part for part in re.findall(r"\w+", rest)]
    sizes = sizes_of(parts, values)
    if kind == "ids":
        return torch.zeros(sizes, dtype=torch.int64)
    if kind == "opt":
        return torch.ones(sizes) if choice else None
    if kind == "list":
        return [torch.ones(sizes) for _ in range(choice)]
    if kind == "dict":
        return {key: torch.ones(sizes) for key in choice}
    if kind == "ints":
        return sizes if name == "dims" else tuple(sizes)
    return values[spec[1:]] if spec.startswith("=") else choice


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """All tensors of an argument."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for part in value:
            yield from tensors_in(part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors_in(part)


def call_all(function: Any, template: dict[str, Spec]) -> None:
    """The calls of one probe."""
    options = [choices(spec) for spec in template.values()]
    is_marked = True
    call = 0

    def arguments(choice: int) -> list[Any]:
        values = size_values(template, call)
        return [
            argument(name, spec, values, option[choice % len(option)])
            for (name, spec), option in zip(template.items(), options, strict=True)
        ]

    for choice in range(max(2, *(len(option) for option in options))):
        if is_marked:
            given = arguments(choice)
            for tensor in (tensor for value in given for tensor in tensors_in(value)):
                for dim in range(tensor.dim()):
                    torch._dynamo.mark_dynamic(tensor, dim)
            try:
                function(*given)
                call += 1
                continue
            except Exception as error:  # noqa: BLE001 - the class is what is asked for
                is_marked = type(error).__name__ != "ConstraintViolationError"
        for _ in range(1 if is_marked else 3):
            with contextlib.suppress(Exception):
                function(*arguments(choice))
            call += 1


def run_probe(job: tuple[str, Any, dict[str, Spec], Path]) -> str:
    """Runs one probe in a process of its own; its trace lies in a folder of the function's name."""
    name, target, template, folder = job
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    handler = torch_logging.LOG_TRACE_HANDLER
    handler.close()
    handler.stream = None
    handler.root_dir = str(folder / name)
    torch._dynamo.reset()
    with shape_config.patch(use_duck_shape=False):
        function = target() if isinstance(target, type) else target
        call_all(torch.compile(function, backend="eager", dynamic=True), template)
    handler.close()
    return name


def run_probes(registry: dict[str, Any], table: dict[str, Any], names: list[str], folder: Path) -> dict[str, Path]:
    """The trace of each function. TORCH_TRACE must have been set before torch was imported."""
    torch.set_num_threads(1)
    # Imports of every compile happen once; processes are forks of this one.
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(3))
    jobs = [(name, registry[name], table[name][1], folder) for name in names]
    for name in names:
        (folder / name).mkdir()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        done = list(pool.imap_unordered(run_probe, jobs, chunksize=1))
    traces = {name: next((folder / name).iterdir(), None) for name in done}
    return {name: trace for name, trace in traces.items() if trace is not None}
