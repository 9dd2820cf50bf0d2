#!/usr/bin/env python3
"""What advice promises, against PyTorch itself.

    tests/torch/check_advice.py PROGRAM [--folder DIR] [CAPTURE ...]

For every captured run whose first action can be put into place by a program, a copy of the captured program is edited
as the action says, and run. The number of times that PyTorch then compiled each function must be the predicted one; where
nothing is predicted, the program must run and compile no more often than before (a higher limit apart).
Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import runpy
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apply_action import NotApplicable, apply
from sampling import is_whole, sampled

SKIPPED = 77
CAPTURES = Path(__file__).resolve().parents[2] / "corpora" / "captured" / "2.13.0"
LEAST_RIGHT = 10
TIMEOUT = 600

def counted() -> dict[str, int]:
    """How often each function of this process was compiled so that code came of it."""
    from torch._dynamo import utils

    counts: collections.Counter[str] = collections.Counter()
    for metrics in utils.get_compilation_metrics():
        if metrics.co_name and metrics.fail_type is None and metrics.is_forward is not False:
            counts[f"{metrics.co_name}:{metrics.co_firstlineno}"] += 1
    return dict(counts)


def run_here(script: str, result: str) -> None:
    """Runs a program as the main one of this process and writes what was compiled."""
    import torch

    why = ""
    os.chdir(os.path.dirname(script))
    whole = torch.compile

    def without_kernels(model: Any = None, **options: Any) -> Any:
        """How often something is compiled does not depend on what makes kernels of it, which takes minutes."""
        if options.get("backend", "inductor") == "inductor" and not {"mode", "options"} & options.keys():
            options["backend"] = "aot_eager"
        return whole(model, **options)

    torch.compile = without_kernels
    try:
        runpy.run_path(script, run_name="__main__")
    except BaseException as error:  # whatever a program ends with is its result
        if not (isinstance(error, SystemExit) and error.code in (None, 0)):
            why = f"raised {type(error).__name__}: {(str(error).splitlines() or [''])[0]}"
    Path(result).write_text(json.dumps({"counts": counted(), "why": why}))


def run(source: str, script: str, variables: dict[str, str]) -> dict[str, int] | str:
    """How often each function of a program was compiled, or why that is not known."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / script
        path.write_text(source)
        result = Path(scratch) / "result.json"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TORCH")}
        environment |= {"OMP_NUM_THREADS": "1", "TORCHINDUCTOR_CACHE_DIR": f"{scratch}/cache"} | variables
        try:
            done = subprocess.run(
                [sys.executable, __file__, "--run", str(path), str(result)],
                capture_output=True,
                text=True,
                check=False,
                env=environment,
                timeout=TIMEOUT,
            )
        except subprocess.TimeoutExpired:
            return f"took more than {TIMEOUT} s"
        if not result.is_file():
            return f"ended with {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}"
        outcome = json.loads(result.read_text())
    why: str = outcome["why"]
    counts: dict[str, int] = outcome["counts"]
    return why or counts


@dataclass(frozen=True)
class Outcome:
    """What became of one capture."""

    name: str
    verdict: str  # "right", "wrong", or "skipped"
    said: str
    lines: list[str] = field(default_factory=list)


def advise(program: str, log: Path) -> list[dict[str, Any]]:
    """The actions for a log."""
    done = subprocess.run(
        [program, "advise", "--format", "json", "--exit-zero", str(log)], capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        return []
    actions: list[dict[str, Any]] = json.loads(done.stdout)["actions"]
    return actions


def compiled(counts: dict[str, int], function: dict[str, Any]) -> int:
    """The count of one function: by its name, and where several share it by its line."""
    named = {key: count for key, count in counts.items() if key.rpartition(":")[0] == function["function"]}
    return sum(named.values()) if len(named) <= 1 else named.get(f"{function['function']}:{function['line']}", 0)


def source_of(capture: Path) -> str:
    """The program of a capture; logs of later releases are of the programs of 2.13."""
    own = capture / "program.py"
    return (own if own.is_file() else CAPTURES / capture.name / "program.py").read_text()


def check(program: str, capture: Path) -> Outcome:
    """Follows the first action for one capture."""
    truth = json.loads((capture / "truth.json").read_text())
    actions = advise(program, capture / "log.txt")
    if not actions:
        return Outcome(capture.name, "skipped", "no advice")
    action = actions[0]
    predicted = action["predicted"]
    goal = action["kind"] + (f" ({action['paste']})" if action["paste"] else "")
    if not action["paste"]:
        return Outcome(capture.name, "skipped", f"{goal}: a person has to do it")
    if "processes" in truth or truth["script"] is None:
        return Outcome(capture.name, "skipped", f"{goal}: several processes")
    try:
        edited = apply(source_of(capture), action)
    except NotApplicable as why:
        return Outcome(capture.name, "skipped", f"{goal}: {why}")
    counts = run(edited.source, truth["script"], edited.variables)
    if isinstance(counts, str):
        itself = run(source_of(capture), truth["script"], {})
        if isinstance(itself, str):
            return Outcome(capture.name, "skipped", f"{goal}: the program does not run here, edited or not: {itself}")
        return Outcome(capture.name, "wrong", f"{goal}: the edited program {counts}")
    if predicted is None:
        return compare(capture, truth["script"], counts, action)
    lines = []
    for function in predicted["functions"]:
        found = compiled(counts, function)
        if found != function["after"]:
            lines.append(f"{function['function']}: predicted {function['after']}, compiled {found}")
    before = "; ".join(f"{row['function']} {row['before']} -> {row['after']}" for row in predicted["functions"])
    return Outcome(capture.name, "wrong" if lines else "right", f"{goal}: {before}", lines)


def compare(capture: Path, script: str, counts: dict[str, int], action: dict[str, Any]) -> Outcome:
    """What an action that nothing is predicted of did to the number of compiles."""
    said = f"{action['kind']} ({action['paste']})"
    itself = run(source_of(capture), script, {})
    if isinstance(itself, str):
        return Outcome(capture.name, "right", f"{said}: runs now; before it {itself}")
    before, after = sum(itself.values()), sum(counts.values())
    is_worse = after > before and action["kind"] != "raise_limit"
    lines = [f"compiled {after} times, {before} before"] if is_worse else []
    return Outcome(capture.name, "wrong" if lines else "right", f"{said}: {before} -> {after} compiles, not predicted", lines)


def main() -> int:
    if sys.argv[1:2] == ["--run"]:
        run_here(*sys.argv[2:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("captures", nargs="*", metavar="CAPTURE", help="only these; beginnings of names")
    parser.add_argument("--folder", type=Path, default=CAPTURES)
    arguments = parser.parse_args()
    try:
        import torch
    except ImportError as error:
        print(f"skipped: {error}; pip install torch=={arguments.folder.name}")
        return SKIPPED
    needed = arguments.folder.name.rpartition(".")[0]
    if not torch.__version__.startswith(needed):
        print(f"skipped: this is torch {torch.__version__}; the captures are of {needed}")
        return SKIPPED

    folders = [
        folder
        for folder in sorted(arguments.folder.iterdir())
        if all((folder / name).is_file() for name in ("truth.json", "log.txt"))
        and (not arguments.captures or folder.name.startswith(tuple(arguments.captures)))
    ]
    outcomes: list[Outcome] = []
    with ThreadPoolExecutor(max_workers=2) as pool:
        for outcome in pool.map(lambda folder: check(arguments.program, folder), sampled(folders)):
            outcomes.append(outcome)
            print(f"{outcome.verdict:8}{outcome.name:32}{outcome.said}", flush=True)
            for line in outcome.lines:
                print(f"{'':40}{line}", flush=True)
    right = sum(outcome.verdict == "right" for outcome in outcomes)
    wrong = sum(outcome.verdict == "wrong" for outcome in outcomes)
    print(f"{right} right, {wrong} wrong, {len(outcomes) - right - wrong} skipped")
    least = LEAST_RIGHT if is_whole() and not arguments.captures else 0
    return 1 if wrong > 0 or right < least else 0


if __name__ == "__main__":
    sys.exit(main())
