#!/usr/bin/env python3
"""The native replay against PyTorch.

    tests/torch/check_replay_native.py SHAPEWISE SHAPEWISE_REPLAY [MODEL ...]

Every model of replay_models.py is captured at one size with dynamic shapes: as Dynamo prints it, as AOTAutograd does
(forward, and backward of those that train), and with Inductor's decompositions. Each dump becomes a program, which
`shapewise-replay run` runs on the tensors that PyTorch ran the graph on, at three sizes. Results must be the same but
for rounding: all of AOT's graphs and of the decomposed ones, at least 90 % of the statements of Dynamo's.
Then sizes are padded whose verdict is "safe" or "masked", and results must not change at the real positions.
Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SKIPPED = 77
NEEDED_TORCH = "2.13"
WORKERS = 2
LEAST_SHARE = 0.9
RELATIVE, ABSOLUTE = 1e-5, 1e-6

try:
    import torch
    from replay_models import MODELS, ReplayModel
    from torch import Tensor
    from torch._dynamo.backends.common import aot_autograd
    from torch._inductor.decomposition import select_decomp_table
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0 --index-url https://download.pytorch.org/whl/cpu")
    sys.exit(SKIPPED)


@dataclass
class Call:
    """One call of a captured graph: what it was given by name, and what it returned."""

    inputs: dict[str, Any]
    outputs: list[Any]


@dataclass
class Capture:
    """A graph as it was printed, and the calls of it."""

    name: str
    kind: str  # "dynamo", "aot", "decomposed"
    text: str
    calls: list[Call] = field(default_factory=list)


@dataclass
class Tally:
    """What is counted of one kind of dump."""

    graphs: int = 0
    runs: int = 0
    identical: int = 0
    rounded: int = 0
    statements: int = 0
    ran: int = 0
    faults: list[str] = field(default_factory=list)


def copied(value: Any) -> Any:
    """A copy that a graph may write into."""
    return value.detach().clone() if isinstance(value, Tensor) else value


def constants(module: torch.fx.GraphModule) -> dict[str, Any]:
    """Tensors that a graph has as attributes: their values are not printed."""
    found: dict[str, Any] = {}
    for node in module.graph.nodes:
        if node.op == "get_attr":
            value: Any = module
            for part in str(node.target).split("."):
                value = getattr(value, part)
            if isinstance(value, Tensor):
                found[node.name] = value.detach().clone()
    return found


class Recorder:
    """Captures graphs, and what PyTorch computes by them."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.captures: list[Capture] = []

    def record(self, module: torch.fx.GraphModule, kind: str) -> Callable[..., Any]:
        """A function that runs `module` and keeps what it was called with."""
        text = module.print_readable(print_output=False, include_stride=True, include_device=True)
        capture = Capture(self.model, kind, text)
        self.captures.append(capture)
        names = [node.name for node in module.graph.nodes if node.op == "placeholder"]
        attributes = constants(module)

        def run(*args: Any) -> Any:
            given = dict(zip(names, (copied(argument) for argument in args), strict=True)) | attributes
            returned = module(*args)
            outputs = list(returned) if isinstance(returned, (list, tuple)) else [returned]
            capture.calls.append(Call(given, [copied(output) for output in outputs]))
            return returned

        return run

    def dynamo(self, module: torch.fx.GraphModule, _: Sequence[Any]) -> Callable[..., Any]:
        """A backend that runs Dynamo's graph."""
        return self.record(module, "dynamo")

    def aot(self, kind: str) -> Any:
        """A backend that runs AOTAutograd's graphs."""

        def compiler(module: torch.fx.GraphModule, _: Sequence[Any]) -> Any:
            run = self.record(module, kind)

            def boxed(args: list[Any]) -> Any:
                return run(*args)

            boxed._boxed_call = True  # type: ignore[attr-defined]
            return boxed

        decompositions = select_decomp_table() if kind == "decomposed" else None
        return aot_autograd(fw_compiler=compiler, bw_compiler=compiler, decompositions=decompositions)


def capture_model(model: ReplayModel) -> list[Capture]:
    """The graphs of one model."""
    recorder = Recorder(model.name)
    for backend in (recorder.dynamo, recorder.aot("aot"), recorder.aot("decomposed")):
        torch.compiler.reset()
        torch.manual_seed(0)
        module = model.make().eval()
        compiled = torch.compile(module, backend=backend, dynamic=True)
        for size in model.sizes:
            inputs = model.inputs(size)
            with torch.set_grad_enabled(model.trains):
                outputs = compiled(*inputs)
                if model.trains and backend != recorder.dynamo:
                    outputs.sum().backward()
    return recorder.captures


def agree(expected: Any, got: Any) -> tuple[bool, bool]:
    """Whether two results are the same bits, and whether they are the same but for rounding."""
    if isinstance(expected, Tensor) and isinstance(got, Tensor):
        if expected.shape != got.shape or expected.dtype != got.dtype:
            return False, False
        same = torch.equal(expected, got)
        return same, same or torch.allclose(expected, got, rtol=RELATIVE, atol=ABSOLUTE, equal_nan=True)
    if isinstance(expected, float) and isinstance(got, float):
        return expected == got, abs(expected - got) <= RELATIVE * max(1.0, abs(expected))
    return expected == got, expected == got


class Checker:
    """Runs captures natively."""

    def __init__(self, shapewise: str, replay: str, folder: Path) -> None:
        self.shapewise = shapewise
        self.replay = replay
        self.folder = folder

    def program(self, capture: Capture, number: int) -> Path:
        """The program of a capture."""
        dump = self.folder / f"{capture.name}-{capture.kind}-{number}.txt"
        dump.write_text(capture.text, encoding="utf-8")
        program = dump.with_suffix(".json")
        subprocess.run(
            [self.shapewise, "graph", "--format", "program", "-o", str(program), str(dump)],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        return program

    def run(self, program: Path, call: Call, number: int) -> tuple[dict[str, Any], list[Any] | None]:
        """What the replay told, and what it returned."""
        inputs = program.with_suffix(f".{number}.in.pt")
        outputs = program.with_suffix(f".{number}.out.pt")
        torch.save(call.inputs, inputs)
        done = subprocess.run(
            [self.replay, "run", str(program), "--inputs", str(inputs), "--outputs", str(outputs)],
            check=False,
            capture_output=True,
            text=True,
        )
        if done.returncode not in (0, 2) or not done.stdout:
            return {"error": done.stderr.strip(), "statements": 0, "ran": 0, "not_replayable": []}, None
        told = json.loads(done.stdout)
        returned = list(torch.load(outputs, weights_only=False)) if outputs.exists() else None
        return told, returned

    def check(self, capture: Capture, number: int) -> Tally:
        """Runs every call of `capture`."""
        tally = Tally(graphs=1)
        program = self.program(capture, number)
        title = f"{capture.name} ({capture.kind})"
        for index, call in enumerate(capture.calls):
            told, returned = self.run(program, call, index)
            tally.runs += 1
            tally.statements += told["statements"]
            tally.ran += told["ran"]
            for failure in told["not_replayable"]:
                tally.faults.append(f"{title}: {failure['target']}: {failure['reason']}")
            if returned is None:
                tally.faults.append(f"{title}: returned nothing {told.get('error', '')}")
                continue
            results = [agree(*pair) for pair in zip(call.outputs, returned, strict=True)]
            if all(same for same, _ in results):
                tally.identical += 1
            elif all(near for _, near in results):
                tally.rounded += 1
            else:
                wrong = [position for position, (_, near) in enumerate(results) if not near]
                tally.faults.append(f"{title}: outputs {wrong} differ from PyTorch's")
        return tally

    def check_padding(self, capture: Capture, number: int) -> list[str]:
        """Pads every size of a Dynamo graph that may be padded; what then differs."""
        program = self.program(capture, number)
        faults = []
        for padding in json.loads(program.read_text(encoding="utf-8").splitlines()[0])["padding"]:
            if padding["verdict"] not in ("safe", "masked") or not padding["symbol"].startswith("s"):
                continue
            done = subprocess.run(
                [self.replay, "pad", str(program), "--symbol", padding["symbol"], "--size", "9", "--to", "16"],
                check=False,
                capture_output=True,
                text=True,
            )
            if done.returncode != 0:
                faults.append(f"{capture.name}: padded {padding['symbol']}: {done.stdout}{done.stderr}".strip())
        return faults


def add(total: Tally, part: Tally) -> None:
    """Counts what `part` counted as well."""
    total.graphs += part.graphs
    total.runs += part.runs
    total.identical += part.identical
    total.rounded += part.rounded
    total.statements += part.statements
    total.ran += part.ran
    total.faults += part.faults


def main(arguments: list[str]) -> int:
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: torch {torch.__version__} is installed, {NEEDED_TORCH} is needed")
        return SKIPPED
    warnings.filterwarnings("ignore")
    wanted = arguments[2:]
    captures = [capture for model in MODELS if not wanted or model.name in wanted for capture in capture_model(model)]
    totals = {kind: Tally() for kind in ("dynamo", "aot", "decomposed")}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(WORKERS) as pool:
        checker = Checker(arguments[0], arguments[1], Path(scratch))
        for capture, part in zip(captures, pool.map(checker.check, captures, range(len(captures))), strict=True):
            add(totals[capture.kind], part)
        dynamo = [capture for capture in captures if capture.kind == "dynamo"]
        padded = [fault for part in pool.map(checker.check_padding, dynamo, range(len(dynamo))) for fault in part]
    held = not padded
    for fault in padded:
        print(fault)
    for kind, tally in totals.items():
        for fault in sorted(set(tally.faults)):
            print(fault)
        share = tally.ran / max(1, tally.statements)
        print(
            f"{kind}: {tally.graphs} graphs, {tally.runs} runs: {tally.identical} bit-identical, {tally.rounded} but "
            f"for rounding; {tally.ran} of {tally.statements} statements ({share:.1%})"
        )
        is_whole = tally.identical + tally.rounded == tally.runs and tally.ran == tally.statements
        held = held and tally.runs > 0 and (share >= LEAST_SHARE if kind == "dynamo" else is_whole)
        held = held and not any("differ from" in fault for fault in tally.faults)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
