#!/usr/bin/env python3
"""What-ifs on recorded runs of real models, against what Dynamo did.

    tests/torch/check_predict_models.py PROGRAM [--keep FOLDER] [--output FILE] [MODEL ...]

Every model of predict_models.py and predict_broken.py, in the nightly run also of predict_foreign.py and gallery/, ten of
which are also trained, or those named, runs under `shapewise run`, which records it. Models of libraries that are not installed are left out and named. `shapewise predict` then answers, from the folder of that run alone, how many graphs
are compiled under each policy; a lower bound is no answer. The truth is the count of Dynamo in a run of the same calls
under that policy. At least 85 % of the what-ifs must be answered, and 97 % of the answers be right in
graphs and in calls that raise. The table shows each; what is not answered has its reason.
Exit status: 0 held, 1 did not, 77 torch or transformers is not there.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expectations import environment
from sampling import is_whole, sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
LEAST_ANSWERED = 0.85
LEAST_RIGHT = 0.97
PATIENCE_SECONDS = 900

try:
    import torch
    from predict_broken import BROKEN
    from predict_foreign import FOREIGN
    from predict_models import MODELS, Inputs, Model
    from tune_models import GALLERY, TRAINED, find_model, gallery, make_step, trained
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0 transformers")
    sys.exit(SKIPPED)

AS_IS = "as-is"
MARKED = "marks"  # mark_dynamic on every dim that varies
# Titles of the lists of models, by how names of their models begin.
SETS = {
    GALLERY: "gallery",
    TRAINED: "ten of the gallery in training",
    "foreign/": "models of other structure",
    "broken/": "models whose graphs break",
    "": "models of transformers, batch and length vary",
}
POLICIES = (AS_IS, "dynamic=True", "dynamic=False", "limit 64", MARKED)


@dataclass(frozen=True)
class Outcome:
    """How many graphs were compiled, and in how many calls something was raised."""

    graphs: int
    errors: int

    def text(self) -> str:
        """As the table shows it."""
        return f"{self.graphs}" + (f" ({self.errors} raise)" if self.errors else "")


@dataclass(frozen=True)
class Row:
    """What is predicted of a model under a policy, and what Dynamo did."""

    model: str
    policy: str
    predicted: Outcome | None  # None: no answer
    compiled: Outcome
    why: str  # there is no answer

    @property
    def is_right(self) -> bool:
        """Whether the answer is what Dynamo did."""
        return self.predicted == self.compiled

    def text(self) -> str:
        """The row of the table."""
        told = "-" if self.predicted is None else self.predicted.text()
        verdict = "right" if self.is_right else "WRONG" if self.predicted is not None else self.why
        return f"{self.model:28} {self.policy:14} {told:>14} {self.compiled.text():>14}  {verdict}"


def varied_dims(model: Model) -> dict[str, list[int]]:
    """The dims of each input that have several sizes."""
    sizes: dict[tuple[str, int], set[int]] = {}
    for inputs in model.all_calls():
        for name, tensor in inputs.items():
            for dim, size in enumerate(tensor.shape):
                sizes.setdefault((name, dim), set()).add(size)
    varied: dict[str, list[int]] = {}
    for (name, dim), seen in sizes.items():
        if len(seen) > 1:
            varied.setdefault(name, []).append(dim)
    return varied


def words_of(policy: str, model: Model) -> str:
    """A policy as `predict --policy` takes it."""
    if policy != MARKED:
        return policy
    return " + ".join(f"mark_dynamic({name}, {dims})" for name, dims in varied_dims(model).items())


def run_model(name: str, policy: str, result: Path) -> None:
    """Runs the calls of a model under a policy in this process, and writes the outcome."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = find_model(name)
    module = model.make().train(model.is_trained)
    options: dict[str, Any] = {}
    if policy.startswith("dynamic="):
        options["dynamic"] = policy == "dynamic=True"
    if policy == "limit 64":
        torch._dynamo.config.recompile_limit = 64
    marked = varied_dims(model) if policy == MARKED else {}
    step = make_step(model, module, torch.compile(module, backend="eager", **options))

    def call(inputs: Inputs) -> int:
        for given, dims in marked.items():
            torch._dynamo.mark_dynamic(inputs[given], dims)
        try:
            step(inputs)
        except Exception as error:  # noqa: BLE001 - marks that cannot be kept raise
            print(f"{name} under {policy}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            return 1
        return 0

    begun = time.monotonic()
    with torch.set_grad_enabled(model.is_trained):
        errors = sum(call(inputs) for inputs in model.all_calls())
    counters = torch._dynamo.utils.counters
    counts = {"graphs": counters["stats"]["unique_graphs"], "breaks": sum(counters["graph_break"].values())}
    result.write_text(json.dumps({**counts, "errors": errors, "seconds": time.monotonic() - begun}))


def run_truths(name: str, folder: Path) -> None:
    """Runs a model under each policy, in forks of this process, which has compiled nothing."""
    for policy in POLICIES:
        result = result_of(policy, folder)
        if result.is_file():
            continue
        pid = os.fork()
        if pid == 0:
            status = 1
            try:
                run_model(name, policy, result)
                status = 0
            finally:
                os._exit(status)
        os.waitpid(pid, 0)


def result_of(policy: str, folder: Path) -> Path:
    """Where the outcome of a run under a policy is written."""
    return folder / f"{policy.replace(' ', '-')}.json"


def run_child(arguments: list[str], wanted: Path, prefix: list[str]) -> None:
    """Runs this script in a process of its own, unless `wanted` is there already."""
    if wanted.is_file():
        return
    command = [*prefix, sys.executable, __file__, *arguments]
    done = subprocess.run(
        command, env=environment(1), capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False
    )
    if not wanted.is_file():
        raise RuntimeError(f"{' '.join(arguments)}: exit status {done.returncode}: {done.stderr[-800:]}")


def predict(program: str, model: Model, recorded: Path) -> dict[str, tuple[Outcome | None, str]]:
    """What is predicted under each policy, or why nothing is."""
    asked = [option for policy in POLICIES[1:] for option in ("--policy", words_of(policy, model))]
    command = [program, "predict", "--log", str(recorded), "--format", "json", "--exit-zero", *asked]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"predict: exit status {done.returncode}: {done.stderr.strip()}")
    functions = json.loads(done.stdout)["functions"]
    answers: dict[str, tuple[Outcome | None, str]] = {}
    for index, policy in enumerate(POLICIES):
        outcomes = [function["policies"][index] for function in functions]
        unanswered = [outcome["why"] for outcome in outcomes if outcome["confidence"] != "exact"]
        if index > 0:
            unanswered += ["a lower bound" for outcome in outcomes if outcome["lower_bound"]]
        if unanswered or not outcomes:
            answers[policy] = None, "; ".join(dict.fromkeys(unanswered))
            continue
        totals = [outcome["totals"] for outcome in outcomes]
        summed = Outcome(sum(row["graphs"] for row in totals), sum(row["error_calls"] for row in totals))
        answers[policy] = summed, ""
    return answers


def check_model(program: str, name: str, folder: Path) -> list[Row]:
    """A row for each policy; none: the model needs a library that is not there."""
    model = find_model(name)
    folder.mkdir(parents=True, exist_ok=True)
    recorded = folder / "recorded"
    as_is = result_of(AS_IS, folder)
    if not as_is.is_file():
        try:
            model.make()
        except ImportError as error:
            print(f"{name}: left out: {error}", flush=True)
            return []
    recording = [program, "run", "--quiet", "--folder", str(recorded), "--"]
    run_child(["--run", name, AS_IS, str(as_is)], as_is, recording)
    run_child(["--truths", name, str(folder)], result_of(POLICIES[-1], folder), [])
    truths = {policy: json.loads(result_of(policy, folder).read_text()) for policy in POLICIES}
    answers = predict(program, model, recorded)
    return [
        Row(name, policy, answers[policy][0], Outcome(truths[policy]["graphs"], truths[policy]["errors"]), answers[policy][1])
        for policy in POLICIES
    ]


def set_of(name: str) -> str:
    """The list that a model is of, as it is printed."""
    return next((title for prefix, title in SETS.items() if name.startswith(prefix)))


def written(rows: list[Row]) -> dict[str, Any]:
    """What is kept of all answers: how many there are, and those that are missing or wrong."""
    sets: dict[str, Any] = {}
    for title in SETS.values():
        own = [row for row in rows if set_of(row.model) == title]
        if not own:
            continue
        sets[title] = {
            "models": len({row.model for row in own}),
            "asked": len(own),
            "answered": sum(row.predicted is not None for row in own),
            "right": sum(row.is_right for row in own),
            "not_right": [
                {
                    "model": row.model,
                    "policy": row.policy,
                    "predicted": None if row.predicted is None else row.predicted.graphs,
                    "compiled": row.compiled.graphs,
                    "why": row.why,
                }
                for row in own
                if not row.is_right
            ],
        }
    return {
        "schema": "shapewise.predict_models/1", "torch": torch.__version__, "device": f"cpu ({platform.machine()})",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "sets": sets,
    }  # fmt: skip


def main() -> int:
    """Records, asks, counts, compares."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--keep", type=Path, help="keep runs in this folder, and use those that are there")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--run", nargs=3, metavar=("MODEL", "POLICY", "RESULT"), help=argparse.SUPPRESS)
    parser.add_argument("--truths", nargs=2, metavar=("MODEL", "FOLDER"), help=argparse.SUPPRESS)
    arguments = parser.parse_intermixed_args()
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: torch is {torch.__version__}, predictions are of {NEEDED_TORCH}")
        return SKIPPED
    if arguments.run:
        run_model(arguments.run[0], arguments.run[1], Path(arguments.run[2]))
        return 0
    if arguments.truths:
        run_truths(arguments.truths[0], Path(arguments.truths[1]))
        return 0
    program = str(Path(arguments.program).absolute())
    names = arguments.models or [*sampled([*MODELS, *BROKEN]), *([*FOREIGN, *gallery(), *trained()] if is_whole() else [])]
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.keep or Path(scratch)
        with ThreadPoolExecutor(max_workers=min(2, os.cpu_count() or 1)) as pool:
            rows = [row for found in pool.map(lambda name: check_model(program, name, folder / name), names) for row in found]
    print(f"{'model':28} {'policy':14} {'predicted':>14} {'compiled':>14}")
    for row in rows:
        print(row.text())
    answered = sum(row.predicted is not None for row in rows)
    right = sum(row.is_right for row in rows)
    print(
        f"{len(rows)} asked, {answered} answered ({answered / max(1, len(rows)):.1%}), "
        f"{right} of them right ({right / max(1, answered):.1%})"
    )
    if arguments.output is not None:
        arguments.output.write_text(json.dumps(written(rows), indent=1) + "\n")
    has_answers = answered >= LEAST_ANSWERED * len(rows) or not is_whole()
    return 0 if has_answers and right >= LEAST_RIGHT * answered else 1


if __name__ == "__main__":
    sys.exit(main())
