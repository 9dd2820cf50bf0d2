#!/usr/bin/env python3
"""Probes at the end of a recorded run: what they trace, and that the program's state stays as it is.

    tests/torch/check_probe.py

A process records calls of functions that have state of every kind, takes a picture of that state, is probed, and
compares. Other functions raise while they are traced, end the process, never end, or take arguments that are gone.
Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import logging
import os
import random
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from expectations import expect, problems

SKIPPED = 77
NEEDED_TORCH = "2.13"
PACKAGE = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PACKAGE))

try:
    import torch
    import torch._dynamo.convert_frame
    import torch._dynamo.utils
    from shapewise.record import probe, recorder
    from shapewise.record.history import Limits
    from torch._dynamo.eval_frame import _debug_get_cache_entry_list
    from torch._dynamo.pgo import get_code_state
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)


class Stateful(torch.nn.Module):
    """Buffers, a counter, dropout, gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(6, 6)
        self.norm = torch.nn.BatchNorm1d(6)
        self.register_buffer("seen", torch.zeros(()))
        self.seen: torch.Tensor
        self.history: list[int] = []
        self.last: torch.Tensor | None = None

    def forward(self, x: torch.Tensor, scale: float = 1.0, mode: str = "a") -> torch.Tensor:
        self.seen += x.shape[0]
        y = torch.nn.functional.dropout(self.norm(self.linear(x)), 0.5) * scale
        self.last = y.detach()
        return y * 2 if mode == "a" else y.relu()


def whispers(x: torch.Tensor) -> torch.Tensor:
    """Prints and writes behind a graph break."""
    y = x + 1
    print("printed by the function")
    Path(os.environ["WHISPERS"]).open("a").write("called\n")  # noqa: SIM115
    return y * 2


def doubles(x: torch.Tensor) -> torch.Tensor:
    """The run compiles it with a symbol for its size."""
    return x * 2


def raises(x: torch.Tensor) -> torch.Tensor:
    """Cannot be traced at other sizes than it was called with first."""
    if x.shape[0] > 5:
        raise ValueError("too long")
    return x + 1


class Parts:
    """An argument that the recorder knows only the class of."""

    def __init__(self, x: torch.Tensor) -> None:
        self.x = x


class Block(torch.nn.Module):
    """One of several, each compiled by itself."""

    def __init__(self, scale: int) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.scale = scale

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.linear(x) * self.scale
        return y


class OtherBlock(Block):
    """The same, each with another constant."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = self.linear(x) + self.scale
        return y


def takes_object(parts: Parts) -> torch.Tensor:
    return parts.x * 3


def picture(module: Stateful, codes: list[Any]) -> Iterator[tuple[str, Any]]:
    """All state that a probe could touch, by name."""
    for name, tensor in module.state_dict(keep_vars=True).items():
        yield f"{name}, its memory and version", (tensor.data_ptr(), tensor._version)
        yield f"values of {name}", tensor.detach().clone().tolist()
        grad = tensor.grad
        yield f"gradient of {name}", None if grad is None else (id(grad), grad.clone().tolist())
        yield f"attributes of {name}", sorted(vars(tensor))
    yield "attributes of the module", {name: id(value) for name, value in vars(module).items()}
    yield "torch's random numbers", torch.get_rng_state().tolist()
    yield "Python's random numbers", random.getstate()
    yield "Dynamo's counters", {name: dict(c) for name, c in torch._dynamo.utils.counters.items()}
    yield "Dynamo's metrics", len(torch._dynamo.utils.get_compilation_metrics())
    yield "frames", torch._dynamo.convert_frame.FRAME_COUNTER
    yield "what Dynamo learned of sizes", repr(get_code_state())
    for code in codes:
        yield f"entries of {code.co_name}", [id(entry.code) for entry in _debug_get_cache_entry_list(code)]
    yield "settings", (dict(torch._dynamo.config.get_config_copy()), torch.get_num_threads(), torch.is_grad_enabled())
    yield "handlers", [(name, list(logging.getLogger(name).handlers)) for name in sorted(logging.root.manager.loggerDict)]
    yield "filters of warnings", list(warnings.filters)
    yield "streams", (id(sys.stdout), id(sys.stderr), os.fstat(1), os.fstat(2))
    yield "threads", threading.active_count()


def notes_of(folder: Path) -> list[dict[str, Any]]:
    """What probes wrote of each function."""
    return [note for path in folder.glob("probes-*.json") for note in json.loads(path.read_text())["functions"]]


def line_of(kind: type[torch.nn.Module]) -> int:
    """Where `forward` of a class begins."""
    return kind.forward.__code__.co_firstlineno


def traced(folder: Path, what: str) -> int:
    """How many records of a kind all traces have."""
    return sum(path.read_text().count(f'"{what}"') for path in folder.glob("*.log"))


def check_state(scratch: Path) -> None:
    """A program with state is probed, and goes on as if it had not been."""
    print("state", flush=True)
    os.environ["WHISPERS"] = str(scratch / "whispers")
    records = recorder.start_recording(scratch / "calls", Limits(), print, with_samples=True)
    module = Stateful()
    # Without symbols the run does not show what a trace would.
    step = torch.compile(module, backend="eager", dynamic=False)
    whisper = torch.compile(whispers, backend="eager", dynamic=False)
    other: Callable[..., Any] = torch.compile(takes_object, backend="eager", dynamic=False)
    kept = Parts(torch.ones(4))
    failing = torch.compile(raises, backend="eager")
    double = torch.compile(doubles, backend="eager")
    blocks = [torch.compile(Block(1), backend="eager") for _ in range(3)]
    blocks += [torch.compile(OtherBlock(scale), backend="eager") for scale in (1, 2)]
    for size, mode in ((2, "a"), (4, "a"), (7, "b"), (3, "a"), (5, "b")):
        step(torch.randn(size, 6), scale=size / 2, mode=mode).sum().backward()
        whisper(torch.ones(size))
        double(torch.ones(size))
        for block in blocks:
            block(torch.ones(size, 4))
        other(kept if size == 5 else Parts(torch.ones(size)))
    for size in (2, 5, 6):
        try:
            failing(torch.ones(size))
        except ValueError:
            expect(size == 6, "raises only for 6")
    codes = [Stateful.forward.__code__, whispers.__code__, takes_object.__code__]
    said = (scratch / "whispers").read_text()
    records.finish()
    while threading.active_count() > 1:  # the thread that writes ends soon
        time.sleep(0.01)
    before = dict(picture(module, codes))
    folder = scratch / "probes"
    records.probe(folder)
    for name, value in picture(module, codes):
        expect(before[name] == value, f"{name} changed: {before[name]!r:.200} -> {value!r:.200}")
    expect(len(list((scratch / "calls").glob("*.jsonl"))) == 1, "calls of the fork were recorded")
    expect((scratch / "whispers").read_text() == said, "what stands behind a graph break was run")

    graphs = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    step(torch.randn(5, 6), scale=2.5, mode="b")
    now = torch._dynamo.utils.counters["stats"]["unique_graphs"]
    expect(now == graphs, f"a call that was served before compiles {now - graphs} graphs")
    all_notes = notes_of(folder)
    notes = {note["function"]: note for note in all_notes}
    notes["forward"] = next(note for note in all_notes if note["line"] == line_of(Stateful))
    expect(notes["forward"]["traced"] >= 2 and not notes["forward"]["missed"], f"forward: {notes['forward']}")
    expect(notes["whispers"]["traced"] >= 1, f"whispers: {notes['whispers']}")
    expect(notes["doubles"]["shown"] >= 2 and notes["doubles"]["traced"] == 0, f"doubles: {notes['doubles']}")
    expect(notes["takes_object"]["shown"] == 1, f"the last object lives: {notes['takes_object']}")
    expect("does not exist any more" in str(notes["takes_object"]["missed"]), f"{notes['takes_object']}")
    lines = {line: [n for n in all_notes if n["line"] == line] for line in (line_of(Block), line_of(OtherBlock))}
    expect([n["alike"] for n in lines[line_of(Block)]] == [True], f"equal blocks: {lines}")
    expect([n["alike"] for n in lines[line_of(OtherBlock)]] == [False], f"other blocks: {lines}")
    expect(notes["whispers"]["alike"] is None, "one wrapper has no other that it could be like")
    expect(any("ValueError" in why for why in notes["raises"]["missed"]), f"raises: {notes['raises']}")
    graphs = traced(folder, "dynamo_cpp_guards_str")
    expect(graphs >= 3, f"{graphs} graphs were traced")
    recorder.stop_recording()


def check_hazards(scratch: Path) -> None:
    """Functions that end the process, or never end, while they are traced."""
    print("hazards", flush=True)

    def trace_of(function: Callable[[], None], name: str, seconds: float) -> float:
        least, probe.LEAST_SECONDS = probe.LEAST_SECONDS, seconds
        original, probe._probe = probe._probe, lambda _probed: function()
        begun = time.monotonic()
        one = probe.Probed({"function": name, "file": "", "line": 1}, None, None)  # type: ignore[arg-type]
        probe.probe_functions([one], scratch / name, 0, lambda: None)
        probe.LEAST_SECONDS, probe._probe = least, original
        return time.monotonic() - begun

    expect(trace_of(lambda: os._exit(3), "exits", 20) < 10, "a fork that ends is not waited for")
    expect(trace_of(lambda: time.sleep(600), "sleeps", 1) < 10, "a fork that does not end is killed")
    expect(trace_of(lambda: os.abort(), "aborts", 20) < 10, "a fork that crashes is not waited for")


def main() -> int:
    """Runs all checks."""
    if not torch.__version__.startswith(NEEDED_TORCH) or not hasattr(os, "fork"):
        print(f"skipped: torch is {torch.__version__}, this is about {NEEDED_TORCH} where processes fork")
        return SKIPPED
    with tempfile.TemporaryDirectory() as scratch:
        check_state(Path(scratch))
        check_hazards(Path(scratch))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
