"""Which tensors of a call reach the frames after a graph break. Imports torch.

A mark stays on its tensor under any name. A trace names the inputs of a resume function, but does
not say which of them are arguments of the call: an artifact of ours in the trace does.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

import torch
from torch._logging._internal import trace_structured

from .entries import code_of
from .hook import is_call
from .targets import target_of

__all__ = ["ARTIFACT", "note_passed_tensors"]

ARTIFACT = "shapewise_passed_tensors"
MOST_TENSORS = 256
MOST_DEPTH = 8


def note_passed_tensors() -> None:
    """Writes the artifact, if the frame that Dynamo begins to compile is not the called function.

    Called while Dynamo compiles. Reads variables of frames of torch only: those of the program
    would live longer.
    """
    compiling = _find_above(sys._getframe(1), _is_compiling)
    call = _find_above(compiling, is_call)
    if compiling is None or call is None:
        return
    called, frame = call.f_locals, compiling.f_locals
    target = target_of(called["fn"])
    if target is None or code_of(called["fn"]) is frame["code"]:
        return
    arguments: Mapping[str, Any] = {"args": called["args"], "kwargs": called["kwargs"]}
    if target.signature is not None:
        arguments = target.signature.bind(*called["args"], **called["kwargs"]).arguments
    names: dict[int, str] = {}
    for source, tensor in _tensors(arguments):
        # One that is passed twice has two names: nothing is known of it.
        names[id(tensor)] = "" if id(tensor) in names else source
    passed = {source: names.get(id(tensor)) for source, tensor in _tensors(frame["locals"])}
    known = {source: argument for source, argument in passed.items() if argument != ""}
    if 0 < len(known) <= MOST_TENSORS:
        trace_structured(
            "artifact",
            metadata_fn=lambda: {"name": ARTIFACT, "encoding": "json"},
            payload_fn=lambda: json.dumps(known),
        )


def _find_above(frame: FrameType | None, is_it: Callable[[FrameType], bool]) -> FrameType | None:
    while frame is not None and not is_it(frame):
        frame = frame.f_back
    return frame


def _is_compiling(frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_name == "_compile" and {"code", "locals"} <= set(code.co_varnames)


def _tensors(named: Mapping[str, Any]) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors among values, with their sources."""
    for name, value in named.items():
        yield from _leaves(f"L[{name!r}]", value, 0)


def _leaves(source: str, value: Any, depth: int) -> Iterator[tuple[str, torch.Tensor]]:
    if isinstance(value, torch.Tensor):
        yield source, value
    elif depth < MOST_DEPTH and type(value) in (list, tuple):
        for index, item in enumerate(value):
            yield from _leaves(f"{source}[{index}]", item, depth + 1)
    elif depth < MOST_DEPTH and type(value) is dict:
        for name, item in value.items():
            if type(name) in (str, int):
                yield from _leaves(f"{source}[{name!r}]", item, depth + 1)
