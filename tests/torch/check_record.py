#!/usr/bin/env python3
"""A program does the same, recorded or not: graphs, results, errors, copies and pickles of what it compiled.

    tests/torch/check_record.py

Each scenario below runs in processes of its own (`played`): plainly, recorded from its start, and recorded from when it has
compiled. What it returns has to be equal. Exit status: 0 it is, 1 it is not, 77 torch is not there.
"""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import signal
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SKIPPED = 77
NEEDED_TORCH = "2.13"
PATIENCE_SECONDS = 300
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

try:
    import torch
    import torch._dynamo  # with all that compiling imports, once for all processes
    from torch._dynamo.utils import counters
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)

import shapewise  # noqa: E402 - from the folder of this checkout

Facts = dict[str, Any]
# A scenario compiles, gives way for a recorder to be started, goes on, and returns what it saw.
Scenario = Callable[[], Iterator[Facts | None]]


class Graphs:
    """A backend that counts what it is handed."""

    def __init__(self) -> None:
        self.ops: list[int] = []

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
        self.ops.append(sum(node.op.startswith("call") for node in graph.graph.nodes))
        return graph.forward


graphs = Graphs()  # of this process; module-level, so that pickles find it


def compiled(function: Any, **options: Any) -> Any:
    return torch.compile(function, backend=graphs, **options)


def double(x: torch.Tensor) -> torch.Tensor:
    return x * 2


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor, *, scale: float = 1.0) -> torch.Tensor:
        return self.linear(x).relu() * scale


def error_of(call: Callable[[], Any]) -> str | None:
    try:
        call()
    except Exception as error:
        return f"{type(error).__module__}.{type(error).__name__}: {str(error).splitlines()[0]}"
    return None


def nested_functions() -> Iterator[Facts | None]:
    """Compiled functions that compiled functions call: inlined, but behind a graph break."""
    inner = compiled(double)

    def between(x: torch.Tensor) -> torch.Tensor:
        y = inner(x) + 1
        torch._dynamo.graph_break()
        return inner(y) - 1

    def twice(x: torch.Tensor, deep: int) -> torch.Tensor:
        return inner(x) + 1 if deep == 0 else outer(inner(x), deep - 1)

    middle, outer = compiled(between), compiled(twice)
    top = compiled(lambda x: middle(x) + outer(x, 2), fullgraph=False)
    inner(torch.ones(2))
    yield None
    results = []
    for n in (2, 3, 4, 4):
        results += [function(torch.ones(n)).sum().item() for function in (inner, middle, top)]
        results.append(outer(torch.ones(n), 1).sum().item())
    yield {"results": results}


def nested_modules() -> Iterator[Facts | None]:
    """Compiled modules within compiled ones, by torch.compile and by their own compile()."""
    torch.manual_seed(0)
    first = compiled(Net())
    second = Net()
    second.compile(backend=graphs)
    whole = compiled(torch.nn.Sequential(first, second))
    whole(torch.ones(2, 4))
    yield None
    results = []
    for n in (2, 3, 5):
        for module in (first, second, whole):
            results.append(module(torch.ones(n, 4)).sum().item())
        results.append(first(torch.ones(n, 4), scale=2.0).sum().item())
    yield {"results": results}


def disabled_within() -> Iterator[Facts | None]:
    """Compiled, disabled and compiled again."""
    inner = compiled(double)
    eager = torch.compiler.disable(lambda x: inner(x) + 1)
    outer = compiled(lambda x: eager(x * 3) - 1)
    outer(torch.ones(2))
    yield None
    with torch.compiler.set_stance("eager_on_recompile"):
        results = [outer(torch.ones(n)).sum().item() for n in (2, 3)]
    results += [outer(torch.ones(n)).sum().item() for n in (2, 3, 4)]
    yield {"results": results}


def fullgraph() -> Iterator[Facts | None]:
    """fullgraph=True compiles what has no break, with compiled functions in it, and raises as ever else."""
    torch.manual_seed(0)
    inner = compiled(double, fullgraph=True)
    outer = compiled(lambda x: inner(x) + 1, fullgraph=True)
    module = compiled(Net(), fullgraph=True)
    outer(torch.ones(2))
    yield None

    def broken(x: torch.Tensor) -> torch.Tensor:
        torch._dynamo.graph_break()
        return inner(x)

    results = [outer(torch.ones(n)).sum().item() for n in (2, 3, 4)]
    with torch.no_grad():
        results += [module(torch.ones(n, 4), scale=0.5).sum().item() for n in (2, 3)]
    yield {"results": results, "error": error_of(lambda: compiled(broken, fullgraph=True)(torch.ones(2)))}


def copies() -> Iterator[Facts | None]:
    """Copies and pickles of compiled modules, which work and are those that they would be."""
    torch.manual_seed(0)
    made = compiled(Net())
    own = Net()
    own.compile(backend=graphs)
    function = compiled(double)
    for module in (made, own):
        module(torch.ones(2, 4))
    yield None
    facts: Facts = {"results": [], "sizes": []}
    for module in (made, own):
        pickled = pickle.dumps(module)
        saved = io.BytesIO()
        torch.save(module, saved)
        saved.seek(0)
        again = [
            *(copy.deepcopy(module), pickle.loads(pickled), torch.load(saved, weights_only=False)),
            copy.deepcopy(copy.deepcopy(module)),
        ]
        facts["sizes"].append(len(pickled))
        facts.setdefault("types", []).append([type(each).__name__ for each in again])
        for each in again:
            facts["results"] += [each(torch.ones(n, 4)).sum().item() for n in (2, 3)]
    facts["results"].append(copy.deepcopy(function)(torch.ones(3)).sum().item())
    facts["error"] = error_of(lambda: pickle.dumps(compiled(lambda x: x)))
    yield facts


SCENARIOS: dict[str, Scenario] = {
    scenario.__name__: scenario
    for scenario in (nested_functions, nested_modules, disabled_within, fullgraph, copies)
}
# Calls that are recorded from the start, by function: those that Dynamo does not inline.
RECORDED = {
    # A frame stops at a call in which there is a break: `top` calls `between` as if by itself.
    "nested_functions": {"double": 1 + 4, "between": 4 + 4, "<lambda>": 4, "twice": 4},
    "nested_modules": {"inner": 1 + 3, "forward": 3 * 3},
    "disabled_within": {"<lambda>": 1 + 5, "double": 1 + 5},
    "fullgraph": {"<lambda>": 1 + 3, "forward": 2, "broken": 1},
    # Copies of what was compiled by its own compile() are not compiled.
    "copies": {"forward": (1 + 4 * 2) + 1, "double": 1},
}


def play(name: str, way: str, folder: str) -> Facts:
    """One scenario, in this process."""
    steps = SCENARIOS[name]()
    if way == "early":
        shapewise.record.start(folder)
    next(steps)
    if way == "late":
        shapewise.record.start(folder)
    facts = next(steps)
    assert facts is not None
    if way != "plain":
        shapewise.record.stop()
    stats = {key: counters["stats"][key] for key in ("calls_captured", "unique_graphs")}
    return {**facts, "graphs": graphs.ops, "frames": dict(counters["frames"]), "stats": stats,
            "breaks": sum(counters["graph_break"].values())}


def played(name: str, way: str, folder: Path) -> Facts:
    """The same in a process of its own: a fork of this one, which has imported torch and compiled nothing."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as out, tempfile.TemporaryFile("w+", encoding="utf-8") as err:
        child = os.fork()
        if child == 0:
            status = 1
            try:
                signal.alarm(PATIENCE_SECONDS)
                os.dup2(err.fileno(), sys.stderr.fileno())
                json.dump(play(name, way, str(folder)), out)
                out.flush()
                status = 0
            except Exception:
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(status)
        _, status = os.waitpid(child, 0)
        out.seek(0)
        err.seek(0)
        told = err.read()
        if status != 0 or "shapewise: warning" in told:
            return {"failed": f"status {status}: {told[-2000:]}"}
        return json.load(out)


def calls_in(folder: Path) -> Counter[str]:
    """Recorded calls by function; a line that is not whole raises."""
    calls: Counter[str] = Counter()
    for path in folder.glob("calls-*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if "inputs" in record:
                calls[record["function"]] += record["times"]
    return calls


def problems() -> Iterator[str]:
    """Everything that does not hold."""
    for name in SCENARIOS:
        with tempfile.TemporaryDirectory() as made:
            plain = played(name, "plain", Path(made))
            print(f"{name}: {len(plain.get('graphs', ()))} graphs, {len(plain.get('results', ()))} results", flush=True)
            if "failed" in plain or not plain["graphs"]:
                yield f"{name}, by itself: {plain}"
                continue
            for way in ("early", "late"):
                folder = Path(made, way)
                recorded = played(name, way, folder)
                if recorded != plain:
                    yield f"{name}, recorded {way}: {recorded}\n  by itself: {plain}"
                calls = calls_in(folder)
                if way == "early" and calls != RECORDED[name]:
                    yield f"{name}: recorded {dict(calls)}, {RECORDED[name]} were made"
                if not calls:
                    yield f"{name}, recorded {way}: no calls"


def main() -> int:
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: graphs are those of torch {NEEDED_TORCH}, this is {torch.__version__}")
        return SKIPPED
    found = list(problems())
    for problem in found:
        print(f"  DOES NOT HOLD: {problem}", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
