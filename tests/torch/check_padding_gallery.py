#!/usr/bin/env python3
"""Padding verdicts on models of libraries, against real numbers.

    tests/torch/check_padding_gallery.py PROGRAM [--output FILE] [--set NAME] [MODEL ...]

Every model of gallery/ has small random weights. It is captured by torch.export and by torch.compile, and its dump
is given to `shapewise graph`. Padded and plain runs are compared at the real positions. The check fails if a model
that is called safe or masked differs, if one that is called unsafe does not, and, where nothing is left out, if
fewer than 85 % have a verdict other than "unknown". Models of libraries that are not installed, and those that PyTorch cannot capture, are left out and named.
Exit status: 0 held, 1 did not, 77 torch or transformers is not there.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import multiprocessing
import sys
import warnings
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from sampling import is_whole, sampled

SKIPPED = 77
WORKERS = 2
LEAST_DECIDED = 0.85
TRIED = (0.0, 1.0)

try:
    import torch
    from check_padding import CAPTURES, judge, placeholder_names, survives
    from gallery.language import LANGUAGE
    from gallery.later import LATER
    from gallery.others import OTHERS
    from padding_models import Case, Extension
    from torch import nn
except ImportError as error:
    print(f"skipped: {error}; pip install torch transformers")
    sys.exit(SKIPPED)

SETS = {"mended with": (*LANGUAGE, *OTHERS), "first contact": LATER}


@dataclass(frozen=True)
class Row:
    """What was found of one capture."""

    set: str
    model: str
    capture: str
    nodes: int
    truth: str
    verdict: str
    held: bool
    why: str


def truth_of(case: Case, model: nn.Module) -> str:
    """What padding does to the model: unsafe only if no extension that is tried keeps the results."""
    if survives(case, model, {}):
        return "safe"
    careful = {given.name: given.extended_with for given in case.inputs if given.extended_with is not None}
    tried: list[dict[str, Extension]] = [careful] if careful else []
    growing = [given.name for given in case.inputs if given.padded_dims]
    tried += [{**careful, name: number} for name in growing for number in TRIED]
    return "masked" if any(survives(case, model, fills) for fills in tried) else "unsafe"


def measure(program: str, set_name: str, index: int) -> list[Row] | str:
    """The rows of one model; a text: why it is left out."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    case = SETS[set_name][index]
    try:
        model = case.build()
    except Exception as error:  # no such library, or a release with other settings
        return f"{case.name}: left out: {type(error).__name__}: {str(error)[:200]}"
    with torch.no_grad():
        truth = truth_of(case, model)
    rows = []
    for capture in case.captures:
        generator = torch.Generator().manual_seed(5)
        inputs = [given.at(case.sizes[0][0], generator) for given in case.inputs]
        # Exports are made as users make them, with gradients on.
        try:
            with torch.set_grad_enabled(capture == "export"):
                dump = CAPTURES[capture](case, model, inputs)
        except Exception as error:  # PyTorch cannot capture it
            return f"{case.name}: left out: {capture}: {type(error).__name__}: {str(error)[:200]}"
        verdict = judge(program, dump, placeholder_names(case, dump))
        nodes = sum(" = torch" in line or " = torch.ops" in line for line in dump.splitlines())
        held = verdict.verdict in ("none", "unknown")
        if verdict.verdict == "unsafe":
            held = truth == "unsafe"
        elif verdict.verdict in ("safe", "masked"):
            with torch.no_grad():
                held = survives(case, model, verdict.fills if verdict.verdict == "masked" else {})
        rows.append(Row(set_name, case.name, capture, nodes, truth, verdict.verdict, held, verdict.why))
    return rows


def version_of(library: str) -> str:
    """The version of an installed package, "" if it is none."""
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:
        return ""


def report(rows: list[Row]) -> bool:
    """Prints figures of each set; returns whether all verdicts held."""
    for name in dict.fromkeys(row.set for row in rows):
        judged = [row for row in rows if row.set == name and row.verdict != "none"]
        decided = sum(row.verdict != "unknown" for row in judged)
        wrong = [row for row in judged if not row.held]
        print(
            f"{name}: {len({row.model for row in judged})} models, {len(judged)} captures; "
            f"{decided} decided ({decided / max(1, len(judged)):.0%}), {len(wrong)} wrong"
        )
        for row in wrong:
            print(f"WRONG {row.model} ({row.capture}): is {row.truth}, called {row.verdict}; {row.why}")
    return all(row.held for row in rows)


def main() -> int:
    """Measures all models, prints a line for each capture, and sums up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("models", nargs="*")
    parser.add_argument("--set", choices=SETS)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    jobs = [
        (name, index)
        for name, cases in SETS.items()
        for index, case in enumerate(cases)
        if (not given.models or case.name in given.models) and given.set in (None, name)
    ]
    jobs = list(sampled(jobs))
    rows: list[Row] = []
    with ProcessPoolExecutor(WORKERS, multiprocessing.get_context("spawn")) as pool:
        for found in pool.map(measure, [given.program] * len(jobs), *zip(*jobs, strict=True)):
            if isinstance(found, str):
                print(found, flush=True)
                continue
            for row in found:
                mark = "" if row.held else "WRONG"
                print(f"{row.model:20} {row.capture:8} is {row.truth:7} called {row.verdict:8} {mark} {row.why}"[:300])
            sys.stdout.flush()
            rows += found
    held = report(rows)
    if given.output is not None:
        versions = {name: version_of(name) for name in ("torch", "transformers", "x-transformers", "diffusers")}
        answer = {"schema": "shapewise.padding_gallery/1", "versions": versions, "rows": [asdict(row) for row in rows]}
        given.output.write_text(json.dumps(answer, indent=1) + "\n")
    judged = [row for row in rows if row.verdict != "none"]
    decided = sum(row.verdict != "unknown" for row in judged) / max(1, len(judged))
    is_complete = is_whole() and not given.models and given.set is None
    return 0 if held and (not is_complete or decided >= LEAST_DECIDED) else 1


if __name__ == "__main__":
    sys.exit(main())
