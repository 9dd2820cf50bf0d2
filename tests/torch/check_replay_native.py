#!/usr/bin/env python3
"""The native replay against PyTorch.

    tests/torch/check_replay_native.py SHAPEWISE SHAPEWISE_REPLAY [--device cuda] [--json FILE] [MODEL ...]

Every model of replay_models.py is captured at one size with dynamic shapes: as Dynamo prints it, as AOTAutograd does
(forward, and backward of those that train), and with Inductor's decompositions. Each dump becomes a program, which
`shapewise-replay run` runs on the tensors that PyTorch ran the graph on, at three sizes. Results must be the same but
for rounding: all of AOT's graphs and of the decomposed ones, at least 90 % of the statements of Dynamo's.
Then sizes are padded whose verdict is "safe" or "masked", and results must not change at the real positions.
On another device than a CPU everything is captured and run there, by whatever torch is installed, if it is no older than
OLDEST_TORCH; results may then be further apart. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sampling import is_whole, sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
OLDEST_TORCH = (2, 11)
WORKERS = max(2, min(8, os.cpu_count() or 2))
LEAST_SHARE = 0.9
RELATIVE, ABSOLUTE = {"cpu": 1e-5, "cuda": 1e-4}, {"cpu": 1e-6, "cuda": 1e-5}
# What the interpreter may add to an operator.
MOST_NANOSECONDS = 1500

try:
    import torch
    from replay_models import MODELS, ReplayModel
    from torch import Tensor
    from torch._dynamo.backends.common import aot_autograd
    from torch._inductor import lowering  # noqa: F401  decompositions look into it
    from torch._inductor.decomposition import select_decomp_table
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)


# A graph whose times and bytes are measured.
PROBE = """class GraphModule(torch.nn.Module):
    def forward(self, s0: "Sym(s0)", L_x_: "f32[s0, 8][8, 1]cpu", L_self_weight: "f32[8][1]cpu"):
        l_x_ = L_x_
        l_self_weight = L_self_weight
        square: "f32[s0, 8][8, 1]cpu" = l_x_ * l_x_
        add: "f32[s0, 8][8, 1]cpu" = square + l_x_;  square = l_x_ = None
        scaled: "f32[s0, 8][8, 1]cpu" = add * l_self_weight;  add = l_self_weight = None
        return (scaled,)
"""


# Devices given in every way, for a machine without them.
PLACED = """class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[4][1]cuda:0"):
        l_x_ = L_x_
        arange: "i64[4][1]cuda:0" = torch.arange(4, device = 'cuda')
        added: "f32[4][1]cuda:0" = l_x_ + arange;  l_x_ = arange = None
        moved: "f32[4][1]cuda:0" = added.cuda();  added = None
        again: "f32[4][1]cuda:0" = moved.to('cuda:0');  moved = None
        ones: "f32[4][1]cpu" = torch.ones(4)
        full: "f32[4][1]cuda:0" = torch.full((4,), 2.0, device = device(type='cuda', index=0))
        given: "f32[4][1]cpu" = torch.tensor([1.0, 2.0, 3.0, 4.0])
        some: "f32[4][1]cuda:0" = again + ones;  again = ones = None
        more: "f32[4][1]cuda:0" = some + full;  some = full = None
        result: "f32[4][1]cuda:0" = more + given;  more = given = None
        return (result,)
"""


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

        def run(*args: Any) -> Any:
            given = dict(zip(names, (copied(argument) for argument in args), strict=True)) | constants(module)
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


def capture_model(model: ReplayModel, device: str) -> list[Capture]:
    """The graphs of one model on `device`."""
    recorder = Recorder(model.name)
    print(f"capturing {model.name}", file=sys.stderr, flush=True)
    for backend in (recorder.dynamo, recorder.aot("aot"), recorder.aot("decomposed")):
        torch.compiler.reset()
        torch.manual_seed(0)
        module = model.make().eval().to(device)
        compiled = torch.compile(module, backend=backend, dynamic=True)
        for size in model.sizes:
            inputs = tuple(value.to(device) for value in model.inputs(size))
            with torch.set_grad_enabled(model.trains):
                outputs = compiled(*inputs)
                if model.trains and backend != recorder.dynamo:
                    outputs.sum().backward()
    return recorder.captures


def agree(expected: Any, got: Any) -> tuple[bool, bool]:
    """Whether two results are the same bits, and whether they are the same but for rounding."""
    if isinstance(expected, Tensor) and isinstance(got, Tensor):
        if expected.shape != got.shape or expected.dtype != got.dtype or expected.device != got.device:
            return False, False
        same = torch.equal(expected, got)
        place = expected.device.type
        return same, same or torch.allclose(
            expected, got, rtol=RELATIVE[place], atol=ABSOLUTE[place], equal_nan=True
        )
    if isinstance(expected, float) and isinstance(got, float):
        return expected == got, abs(expected - got) <= RELATIVE["cpu"] * max(1.0, abs(expected))
    return expected == got, expected == got


class Checker:
    """Runs captures natively."""

    def __init__(self, shapewise: str, replay: str, folder: Path) -> None:
        self.shapewise = shapewise
        self.replay = replay
        self.folder = folder

    def program(self, capture: Capture, title: str) -> Path:
        """The program of a capture, in files called `title`."""
        dump = self.folder / f"{title}.txt"
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
        program = self.program(capture, f"run-{number}")
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
        program = self.program(capture, f"pad-{number}")
        faults = []
        verdicts = json.loads(program.read_text(encoding="utf-8").splitlines()[0])["padding"]
        sizes = [padding for padding in verdicts if padding["symbol"].startswith("s")]
        # Sizes that must be equal may have two symbols: padding only one is impossible.
        for padding in sizes if len(sizes) == 1 else []:
            if padding["verdict"] not in ("safe", "masked"):
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


class Tools:
    """What the replay does besides running dumps: archives, times, errors."""

    def __init__(self, shapewise: str, replay: str, folder: Path) -> None:
        self.shapewise = shapewise
        self.replay = replay
        self.folder = folder
        self.faults: list[str] = []

    def call(self, *arguments: str, stdin: str = "", status: int = 0) -> str:
        """What the replay prints; a fault if it ends otherwise."""
        done = subprocess.run([self.replay, *arguments], check=False, capture_output=True, text=True, input=stdin)
        if done.returncode != status:
            self.faults.append(f"{arguments[0]}: status {done.returncode}, not {status}: {done.stderr.strip()}")
        return done.stdout if status == 0 else done.stderr

    def need(self, condition: bool, what: str) -> None:
        if not condition:
            self.faults.append(what)

    def compare(self, what: str, program: str, expected: Tensor, x: Tensor, *arguments: str) -> None:
        """Runs `program` on `x` and compares its first result."""
        inputs, outputs = self.folder / "tools.in.pt", self.folder / "tools.out.pt"
        torch.save({"x": x}, inputs)
        self.call("run", program, "--inputs", str(inputs), "--outputs", str(outputs), *arguments)
        if not outputs.exists():
            self.faults.append(f"{what}: returned nothing")
            return
        returned = torch.load(outputs, weights_only=False)
        first = returned[0] if isinstance(returned, (list, tuple)) else returned
        self.need(agree(expected, first)[1], f"{what}: differs from PyTorch")
        outputs.unlink()

    def check_archives(self) -> None:
        """TorchScript as it is, .pt2 as a program with the weights of the archive."""
        module = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.ReLU()).eval()
        x = torch.randn(5, 6)
        expected = module(x).detach()
        scripted = self.folder / "scripted.pt"
        wrapped = torch.jit.script(Named(module))
        torch.jit.save(wrapped, str(scripted))
        self.compare("a TorchScript archive", str(scripted), expected, x)
        curve = self.call("curve", str(scripted), "--type", "x=f32[n,6]", "--symbol", "n", "--sizes", "3,9")
        self.need(
            [json.loads(line)["size"] for line in curve.splitlines()] == [3, 9], f"a curve of an archive: {curve}"
        )

        saved, program = self.folder / "saved.pt2", self.folder / "saved.json"
        rows = torch.export.Dim("rows", min=2, max=64)
        torch.export.save(torch.export.export(Named(module), (x,), dynamic_shapes={"x": {0: rows}}), saved)
        subprocess.run([self.shapewise, "graph", "--format", "program", "-o", str(program), str(saved)], check=True)
        self.compare("a .pt2 archive", str(program), expected, x, "--weights", str(saved))

    def check_times(self, program: Path, symbol: str) -> None:
        """Curves as lines and as a table, and answers to questions."""
        sizes = "4,8,16"
        fast = ("--runs", "5", "--seconds", "0.1")
        table = self.call("curve", str(program), "--symbol", symbol, "--sizes", sizes, "--csv", *fast).splitlines()
        self.need(table[:1] == ["size,seconds,iqr,runs,peak_bytes"] and len(table) == 4, f"a table of times: {table}")
        rows = [dict(zip(table[0].split(","), row.split(","), strict=True)) for row in table[1:]]
        self.need(all(float(row["seconds"]) > 0 for row in rows), f"times: {rows}")
        # x, its square and their sum live at once, and the weight.
        bytes_of = [int(row["peak_bytes"]) for row in rows]
        self.need(bytes_of == [4 * (3 * 8 * size + 8) for size in (4, 8, 16)], f"peak bytes: {bytes_of}")
        asked = [{"time": {symbol: 6}}, {"time": {"nothing": 6}}, {"what": 1}]
        answers = [
            json.loads(line)
            for line in self.call(
                "serve", str(program), *fast, stdin="".join(json.dumps(line) + "\n" for line in asked)
            ).splitlines()
        ]
        self.need(len(answers) == len(asked) and answers[0].get("seconds", 0) > 0, f"answers: {answers}")
        self.need(all("error" in answer for answer in answers[1:]), f"errors: {answers}")

    def check_devices(self, program: Path) -> None:
        """All goes where --device says: a CPU, and tensors without elements, which mix with no others."""
        for device in ("cpu", "meta"):
            told = json.loads(self.call("run", str(program), "--device", device) or "{}")
            places = [output["device"] for output in told.get("outputs", ())]
            self.need(places == [device], f"--device {device}: results are on {places}")

    def check_overhead(self) -> dict[str, float]:
        """What running an operator from a program adds to calling it."""
        told: dict[str, float] = json.loads(self.call("overhead") or "{}")
        added = told.get("overhead_ns", float("inf"))
        self.need(added <= MOST_NANOSECONDS, f"the interpreter adds {added:.0f} ns to an operator")
        return told

    def check_errors(self, program: Path) -> None:
        """What cannot be done is said, with status 2."""
        broken = self.folder / "broken.json"
        for text in ("", "{", "[]", '{"schema": "shapewise.program/1"', '{"schema": "other/1"}'):
            broken.write_text(text, encoding="utf-8")
            self.need("error:" in self.call("run", str(broken), status=2), f"no error for the program {text!r}")
        self.need("nothing" in self.call("run", str(program), "--bind", "nothing=3", status=2), "an unknown symbol")
        other = self.folder / "torch"
        (other / "lib").mkdir(parents=True)
        (other / "lib" / "libtorch_cpu.so").write_bytes(b"")
        (other / "version.py").write_text("__version__ = '1.99.0'\n", encoding="utf-8")
        said = self.call("info", str(program), "--torch", str(other), status=2)
        self.need("1.99.0" in said and "built with torch" in said, f"another torch: {said}")


class Named(torch.nn.Module):
    """A module whose input is called x."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


def add(total: Tally, part: Tally) -> None:
    """Counts what `part` counted as well."""
    total.graphs += part.graphs
    total.runs += part.runs
    total.identical += part.identical
    total.rounded += part.rounded
    total.statements += part.statements
    total.ran += part.ran
    total.faults += part.faults


def is_usable(device: str) -> bool:
    """Whether this torch is one that the figures are held to."""
    if device == "cpu":
        return torch.__version__.startswith(NEEDED_TORCH)
    major, minor = torch.__version__.split(".")[:2]
    return (int(major), int(minor)) >= OLDEST_TORCH


def parsed(arguments: list[str]) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shapewise")
    parser.add_argument("replay")
    parser.add_argument("models", nargs="*", metavar="MODEL", help="only these")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path, help="write what was counted")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    options = parsed(arguments)
    if not is_usable(options.device):
        print(f"skipped: torch {torch.__version__} is installed, {NEEDED_TORCH} is needed")
        return SKIPPED
    warnings.filterwarnings("ignore")
    totals = {kind: Tally() for kind in ("dynamo", "aot", "decomposed")}
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(WORKERS) as pool:
        checker = Checker(options.shapewise, options.replay, Path(scratch))
        # A captured model runs while the next one is captured.
        parts: list[tuple[str, Future[Tally]]] = []
        padded: list[Future[list[str]]] = []
        for model in sampled(MODELS):
            if options.models and model.name not in options.models:
                continue
            for capture in capture_model(model, options.device):
                parts.append((capture.kind, pool.submit(checker.check, capture, len(parts))))
                if capture.kind == "dynamo":
                    padded.append(pool.submit(checker.check_padding, capture, len(parts)))
        for kind, part in parts:
            add(totals[kind], part.result())
        faults = [fault for part in padded for fault in part.result()]
        tools = Tools(options.shapewise, options.replay, Path(scratch))
        program = checker.program(Capture("probe", "dynamo", PROBE), "probe")
        tools.check_archives()
        tools.check_times(program, "s0")
        tools.check_errors(program)
        tools.check_devices(checker.program(Capture("placed", "dynamo", PLACED), "placed"))
        overhead = tools.check_overhead()
    faults += tools.faults
    held = not faults
    for fault in faults:
        print(fault)
    for kind, tally in totals.items():
        for fault in sorted(set(tally.faults)):
            print(fault)
        share = tally.ran / max(1, tally.statements)
        print(
            f"{kind}: {tally.graphs} graphs, {tally.runs} runs: {tally.identical} bit-identical, {tally.rounded} but "
            f"for rounding; {tally.ran} of {tally.statements} statements ({share:.1%})"
        )
        all_ran = tally.identical + tally.rounded == tally.runs and tally.ran == tally.statements
        is_enough = share >= LEAST_SHARE or not is_whole() if kind == "dynamo" else all_ran
        held = held and tally.runs > 0 and is_enough
        held = held and not any("differ from" in fault for fault in tally.faults)
    print(f"the interpreter adds {overhead.get('overhead_ns', float('nan')):.0f} ns to an operator")
    if options.json:
        counted = {kind: asdict(tally) for kind, tally in totals.items()}
        told = {"torch": torch.__version__, "device": options.device, "held": held, "faults": faults}
        options.json.write_text(json.dumps({**told, **counted, "overhead": overhead}, indent=1) + "\n", encoding="utf-8")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
