#!/usr/bin/env python3
"""Predictions with a body against what Dynamo did.

    tests/torch/check_predict.py PROGRAM [--seed N] [--traces FOLDER] [FUNCTION ...]

Every function of corpora/oracle is probed once (predict_probes.py). `shapewise predict --body TRACE` then answers all
its scenarios: those of corpora/oracle, whose truth lies beside them, and 200 fresh ones, which are run here. Of all
at least 70 % must be answered `exact`, and 97 % of those be right in every judged call. `--traces`: where the probes'
traces are kept, or lie already. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import argparse
import datetime
import gzip
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sampling import is_whole, sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
FRESH = 200
LEAST_ANSWERED = 0.70
LEAST_RIGHT = 0.97
ORACLE = Path(__file__).resolve().parents[2] / "corpora" / "oracle"

Row = dict[str, Any]

SCRATCH = tempfile.TemporaryDirectory()
os.environ["TORCH_TRACE"] = SCRATCH.name  # torch asks for it when it is imported
sys.path.insert(0, str(ORACLE))
try:
    import dynamo_oracle
    import torch
    from predict_probes import run_probes
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)

# Errors of the compiler's own; others are the program's, and end what is judged of a scenario.
DYNAMO_ERRORS = {
    "BackendCompilerFailed",
    "ConstraintViolationError",
    "FailOnRecompileLimitHit",
    "InternalTorchDynamoError",
    "RecompileError",
    "RecompileLimitExceeded",
    "Unsupported",
    "UserError",
}


def judged_calls(scenario: Row, truth: Row) -> list[Row]:
    """The calls before the first in which the program itself raises."""
    marks = scenario["policy"].get("marks") or ()
    # mark_dynamic with max and no min fails an assertion of Dynamo's.
    is_half = any(mark.get("max") is not None and mark.get("min") is None for mark in marks)
    known = DYNAMO_ERRORS | ({"AssertionError"} if is_half else set())
    calls: list[Row] = []
    for call in truth.get("calls", ()):
        if call["error"] is not None and call["error"] not in known:
            break
        calls.append(call)
    return calls


def outcome(call: Row) -> tuple[int, bool, bool, int]:
    """What is compared of a call."""
    return len(call["compiled"]), bool(call["eager"]), call["error"] is not None, len(call["limit"])


def difference(wanted: list[Row], given: list[Row]) -> str:
    """Where a prediction leaves the truth, in words; empty: nowhere."""
    for index, (want, have) in enumerate(zip(wanted, given, strict=False)):
        for what, right, said in zip(("graphs", "eager", "error", "limits"), outcome(want), outcome(have), strict=True):
            if right != said:
                return f"call {index}: {what} {said}, truth {right} {want['error'] or ''}"
    return "" if len(given) >= len(wanted) else f"{len(given)} calls instead of {len(wanted)}"


def run_scenario(scenario: Row) -> Row:
    """The truth about one scenario."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    torch.set_num_threads(1)
    try:
        truth: Row = dynamo_oracle.run_scenario(scenario, dynamo_oracle.load_registry()[0])
    except Exception as error:  # noqa: BLE001 - a scenario that cannot be run is left out
        return {"id": scenario["id"], "harness_error": str(error)}
    return truth


def fresh_scenarios(seed: int, names: set[str]) -> tuple[list[Row], dict[str, Row]]:
    """Scenarios that nobody has seen, and their truth."""
    table = dynamo_oracle.load_registry()[1]
    scenarios = [row for row in dynamo_oracle.make_all(seed, FRESH, table, f"seed{seed}-") if row["fn"] in names]
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=20) as pool:
        truths = pool.map(run_scenario, scenarios, chunksize=5)
    return scenarios, {truth["id"]: truth for truth in truths}


def read_rows(path: Path) -> list[Row]:
    """The objects of a .jsonl.gz file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def predict(program: str, scenarios: Iterable[Row], traces: dict[str, Path]) -> dict[str, Row]:
    """The answers to all scenarios, function by function."""
    by_function: dict[str, list[Row]] = defaultdict(list)
    for scenario in scenarios:
        by_function[scenario["fn"]].append(scenario)
    answers: dict[str, Row] = {}
    for name, asked in sorted(by_function.items()):
        path = Path(SCRATCH.name) / "scenarios.jsonl"
        path.write_text("".join(json.dumps(scenario) + "\n" for scenario in asked), encoding="utf-8")
        body = ["--body", str(traces[name])] if name in traces else []
        command = [program, "predict", str(path), *body, "--format", "jsonl"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{name}: exit status {done.returncode}: {done.stderr.strip()}")
        answers.update({row["id"]: row for row in map(json.loads, done.stdout.splitlines())})
    return answers


def score(title: str, scenarios: list[Row], truths: dict[str, Row], answers: dict[str, Row]) -> bool:
    """Prints what came of `scenarios`; whether the bounds hold."""
    count: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for scenario in scenarios:
        wanted = judged_calls(scenario, truths[scenario["id"]])
        if not wanted:
            continue
        answer = answers[scenario["id"]]
        what = f"{scenario['id']} {scenario['category']} {scenario['fn']} ({scenario['kind']})"
        row = count[scenario["category"]]
        row[0] += 1
        if answer["confidence"] != "exact":
            print(f"unmodelled {what}: {answer['why']}")
            continue
        wrong = difference(wanted, answer["calls"])
        row[1] += 1
        row[2] += not wrong
        if wrong:
            print(f"WRONG      {what}: {wrong}")
    for name, (asked, answered, right) in sorted(count.items()):
        print(f"{title} {name:12} {asked:4} asked {answered:4} answered {right:4} right")
    asked, answered, right = (sum(row[index] for row in count.values()) for index in range(3))
    print(
        f"{title}: {asked} asked, {answered} answered ({answered / max(1, asked):.1%}), "
        f"{right} of them right ({right / max(1, answered):.1%})"
    )
    # Of some functions nothing can be answered.
    return (answered >= LEAST_ANSWERED * asked or not is_whole()) and right >= LEAST_RIGHT * answered


def main() -> int:
    """Probes, asks, scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("functions", nargs="*")
    parser.add_argument("--seed", type=int, default=int(datetime.date.today().strftime("%Y%m%d")))
    parser.add_argument("--traces", type=Path, default=Path(SCRATCH.name) / "probes")
    arguments = parser.parse_args()
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: torch is {torch.__version__}, the oracle's truth is of {NEEDED_TORCH}")
        return SKIPPED
    registry, table = dynamo_oracle.load_registry()
    names = set(arguments.functions or sampled(sorted(table)))
    scenarios = [row for row in read_rows(ORACLE / "dev.scenarios.jsonl.gz") if row["fn"] in names]
    truths = {row["id"]: row for row in read_rows(ORACLE / "dev.truth.jsonl.gz")}
    folder: Path = arguments.traces
    if folder.exists():
        traces = {name: next((folder / name).iterdir()) for name in names if any((folder / name).iterdir())}
    else:
        folder.mkdir(parents=True)
        traces = run_probes(registry, table, sorted(names), folder)
    fresh, fresh_truths = fresh_scenarios(arguments.seed, names)
    answers = predict(arguments.program, [*scenarios, *fresh], traces)
    held = score("dev", scenarios, truths, answers)
    return 0 if score(f"seed {arguments.seed}", fresh, fresh_truths, answers) and held else 1


if __name__ == "__main__":
    sys.exit(main())
