#!/usr/bin/env python3
"""Whether the fixes of `shapewise check` take graph breaks away and keep results, asked of PyTorch.

    tests/torch/check_fix_suite.py PROGRAM [MODULE ...]     fixes copies and compares
    tests/torch/check_fix_suite.py --unfixed [MODULE ...]   only tells what breaks in the modules as they are

A module of check_suite/ has build(), which gives what is compiled, and inputs(seed), which gives several lists of arguments. It is
run eagerly and under torch.compile, as it is and as fixed: all four results, and the gradients of its parameters, must be the
same for the same seeds. Breaks are the graphs beyond one or what Dynamo counted, whichever is more, for the worst of the inputs;
where Dynamo tells neither, a second frame, a frame without a graph or one that is left to Python is one break. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import logging
import shutil
import subprocess
import sys
import tempfile
import types
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sampling import is_whole, sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
SUITE = Path(__file__).resolve().parent / "check_suite"
LEAST_REMOVED = 0.75
SEEDS = (0, 1)
ROUNDS = 6


@dataclass
class Outcome:
    """What one version of a module did."""

    breaks: int = 0
    kinds: list[str] = field(default_factory=list)
    eager: list[Any] = field(default_factory=list)
    compiled: list[Any] = field(default_factory=list)


def progress_bars() -> types.ModuleType:
    """A tqdm that does what Dynamo cannot follow, where there is none."""
    module = types.ModuleType("tqdm")
    module.__spec__ = importlib.machinery.ModuleSpec("tqdm", None)

    class tqdm:  # the name that programs import
        def __init__(self, iterable: Any, desc: str = "", **_: Any) -> None:
            self.iterable, self.desc = iterable, desc

        def __iter__(self) -> Any:
            for item in self.iterable:
                sys.stderr.write(f"\r{self.desc}: {item}")
                yield item

    module.tqdm = tqdm  # type: ignore[attr-defined]
    return module


def load(path: Path) -> types.ModuleType:
    if "tqdm" not in sys.modules and importlib.util.find_spec("tqdm") is None:
        sys.modules["tqdm"] = progress_bars()
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def run_once(model: Any, arguments: tuple[Any, ...], seed: int, call: Any) -> list[Any]:
    """The result, and what it leaves in the arguments and in the gradients of the parameters."""
    import copy
    import random

    import torch

    torch.manual_seed(seed)
    random.seed(seed)
    arguments = copy.deepcopy(arguments)
    parameters = list(model.parameters())
    for parameter in parameters:
        parameter.grad = None
    result = call(*arguments)
    if isinstance(result, torch.Tensor) and result.requires_grad and parameters:
        result.float().sum().backward()
    # A side that is computed without use gives gradients of zero instead of None.
    gradients = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in parameters]
    return [result, list(arguments), gradients]


def measure(path: Path) -> Outcome:
    """Runs a module eagerly and compiled."""
    import torch
    import torch._dynamo as dynamo
    from torch._dynamo.utils import counters

    outcome = Outcome()
    module = load(path)
    sink = io.StringIO()
    with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in SEEDS:
            for arguments in module.inputs(seed):
                graphs: list[int] = []

                def backend(graph: Any, _: Any) -> Any:
                    graphs.append(sum(node.op.startswith("call") for node in graph.graph.nodes))
                    return graph.forward

                torch.manual_seed(seed)
                model = module.build()
                outcome.eager.append(run_once(model, arguments, seed, model))
                dynamo.reset()
                counters.clear()
                torch.manual_seed(seed)
                model = module.build()
                compiled = torch.compile(model.forward, backend=backend, dynamic=False)
                outcome.compiled.append(run_once(model, arguments, seed, compiled))
                counted = counters["graph_break"]
                frames = counters["frames"]["total"]
                lost = frames - counters["frames"]["ok"]
                unseen = int(lost > 0 or not graphs)
                breaks = max(len(graphs) - 1, sum(counted.values()), unseen)
                if breaks > outcome.breaks:
                    outcome.breaks = breaks
                    outcome.kinds = sorted(kind.split("\n")[0] for kind in counted)
    return outcome


def differs(one: Any, other: Any) -> str:
    """Empty where two results are the same up to rounding."""
    import torch

    try:
        torch.testing.assert_close(one, other, equal_nan=True)
    except AssertionError as error:
        return str(error).split("\n")[0]
    return ""


def fixed_copy(program: str, path: Path, folder: Path) -> tuple[Path, int]:
    """A copy with all fixes applied, and how many rounds changed it."""
    copy = folder / path.name
    shutil.copy(path, copy)
    rounds = 0
    while rounds < ROUNDS:
        before = copy.read_bytes()
        ran = subprocess.run([program, "check", "--fix", "--unsafe-fixes", "--exit-zero", str(copy)],
                             capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise RuntimeError(f"shapewise check ended with {ran.returncode}: {ran.stderr.strip()}")
        if copy.read_bytes() == before:
            break
        rounds += 1
    return copy, rounds


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("program", nargs="?")
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--unfixed", action="store_true", help="tell what breaks before any fix")
    parser.add_argument("--keep", type=Path, help="folder for the fixed copies")
    parser.add_argument("--json", action="store_true", help="print one JSON line a module")
    options = parser.parse_args()
    if options.unfixed and options.program:
        options.modules.insert(0, options.program)
    try:
        import torch
    except ImportError:
        return SKIPPED
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"torch {torch.__version__} is not {NEEDED_TORCH}")
        return SKIPPED
    if importlib.util.find_spec("numpy") is None:
        warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    logging.disable(logging.CRITICAL - 1)
    paths = sorted(p for p in SUITE.glob("*.py") if not options.modules or p.stem in options.modules)
    if options.unfixed:
        for path in paths:
            outcome = measure(path)
            wrong = [d for e, c in zip(outcome.eager, outcome.compiled, strict=True) if (d := differs(e, c))]
            print(f"{path.stem:24} {outcome.breaks} {outcome.kinds} {wrong[:1] or ''}", flush=True)
        return 0
    if not options.program:
        parser.error("PROGRAM is missing")
    if not options.modules:
        paths = sampled(paths)
    failed = False
    total = left = whole = 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for path in paths:
            before = measure(path)
            copy, rounds = fixed_copy(options.program, path, folder)
            after = measure(copy) if rounds else before
            wrong = ""
            for one, two, three in zip(before.eager, after.eager, after.compiled, strict=True):
                wrong = wrong or differs(one, two) or differs(one, three)
            total += before.breaks
            left += min(after.breaks, before.breaks)
            whole += before.breaks > 0 and after.breaks == 0
            failed = failed or bool(wrong) or after.breaks > before.breaks
            row = {"module": path.stem, "before": before.breaks, "after": after.breaks, "rounds": rounds,
                   "kinds": before.kinds, "wrong": wrong}
            print(json.dumps(row) if options.json else
                  f"{path.stem:24} {before.breaks:3} -> {after.breaks}  {wrong or 'equal'}", flush=True)
    removed = (total - left) / total if total else 0.0
    print(f"{total - left} of {total} breaks removed ({removed:.0%}); {whole} of {len(paths)} modules whole")
    # Of a single module it may be none.
    is_judged = is_whole() and not options.modules
    return 1 if failed or (is_judged and removed < LEAST_REMOVED) else 0


if __name__ == "__main__":
    sys.exit(main())
