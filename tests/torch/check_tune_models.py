#!/usr/bin/env python3
"""`shapewise tune` on scripts and on models of libraries: what it recommends, and the best that was to be had.

    tests/torch/check_tune_models.py PROGRAM [--output FILE] [--keep FOLDER] [NAME ...]

Nine programs: three scripts of tune_programs/ and six models of transformers whose batch and length vary. Then every
model of gallery/, with one size that varies, and ten of them in a training loop. Each is tuned with backend eager. The recommended action is then pasted by
hand, and PyTorch itself counts. The program also runs under usual policies without shapewise. The check fails if
a recommended action makes anything worse, if results differ, or if fewer than 80 % of the programs that compile more
than `dynamic=True` would end with as few compiles as the best policy measured.
Models of libraries that are not installed, and those that PyTorch cannot compile, are left out and named.
Exit status: 0 held, 1 did not, 77 torch or transformers is not there.
"""

from __future__ import annotations

import argparse
import datetime
import json
import platform
import sys
import tempfile
from pathlib import Path
from typing import Any

from expectations import expect, problems
from sampling import is_whole, sampled

SKIPPED = 77
LEAST_BEST = 0.8
TESTS = Path(__file__).resolve().parent

try:
    import torch
    from check_predict_models import AS_IS, NEEDED_TORCH, POLICIES, result_of, run_child
    from check_tune import PATIENCE_SECONDS, PROGRAMS, check_pasted, count, tune
    from tune_models import GALLERY, TRAINED, gallery, trained
except ImportError as error:
    print(f"skipped: {error}; pip install torch transformers")
    sys.exit(SKIPPED)

SCRIPTS = ("growing_cache", "logging_loop", "partial_batch")
MODELS = ("bert", "gpt2", "llama", "t5", "vit", "distilbert")
# dynamic=False compiles fewer graphs only where it hits a limit.
BETTER_POLICIES = tuple(policy for policy in POLICIES if policy != "dynamic=False")
PARTS_OF = {"dynamic=True": ("compile_call", "dynamic=True", ""), "limit 64": ("config", "torch._dynamo.config.recompile_limit = 64", "")}

Row = dict[str, Any]
Counts = dict[str, int]


def usual_policies(name: str, folder: Path) -> dict[str, Counts]:
    """Compiles and breaks under each usual policy, without shapewise; only those under which nothing is raised."""
    found: dict[str, Counts] = {}
    if name in SCRIPTS:
        for policy in (AS_IS, *PARTS_OF):
            counted, _, _ = count(folder, [PARTS_OF[policy]] if policy != AS_IS else [])
            if counted is not None:
                found[policy] = {"compiles": counted[0], "breaks": counted[1]}
        return found
    run_child(["--truths", name, str(folder)], result_of(POLICIES[-1], folder), [])
    for policy in BETTER_POLICIES:
        truth = json.loads(result_of(policy, folder).read_text())
        if truth["errors"] == 0:
            found[policy] = {"compiles": truth["graphs"], "breaks": truth["breaks"]}
    return found


def figures(run: dict[str, Any]) -> Row:
    """What is shown of a run."""
    return {
        "compiles": run["compiles"], "breaks": run["graph_breaks"], "eager_calls": run["eager_calls"],
        "limit_hits": run["limit_hits"], "compile_seconds": round(run["compile_seconds"], 2),
    }  # fmt: skip


def tune_program(tool: str, name: str, folder: Path) -> Row | str:
    """The row of one program; a text: why it is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    script = folder / "p.py"
    if name in SCRIPTS:
        script.write_bytes((PROGRAMS / f"{name}.py").read_bytes())
    else:
        script.write_text(f"import sys\nsys.path.insert(0, {str(TESTS)!r})\nimport tune_models\ntune_models.main({name!r})\n")
    done, report = tune(tool, folder, "p.py", "-j", "1", "--seconds", str(PATIENCE_SECONDS))
    if report is None:
        return f"{name}: left out: {done.stderr.strip()[-300:]}"
    base = report["baseline"]
    if base["errors"] > 0 or base["status"] != 0:
        return f"{name}: left out: {base['error'] or done.stderr.strip()[-200:]}"
    usual = usual_policies(name, folder)
    best = None if report["best"] is None else report["actions"][report["best"]]
    after = base if best is None else best["run"]
    row: Row = {
        "program": name,
        "before": figures(base),
        "after": figures(after),
        "policy": None if best is None else best["policy"],
        "equal": None if best is None else after["equal"],
        "withdrawn": [
            {key: action[key] for key in ("policy", "verdict", "why")}
            for action in report["actions"]
            if action["verdict"] != "better"
        ],
        "kept": [action["policy"] for action in report["actions"] if action["verdict"] == "better"],
        "usual": usual,
    }
    counted = (base["compiles"], base["graph_breaks"])
    plain = tuple(usual[AS_IS].values())
    expect(counted == plain, f"{name}: PyTorch counts {plain} compiles and breaks, measured {counted}")
    if best is not None:
        expect(after["equal"] is True, f"{name}: {best['policy']}: results: {after['equal_why']}")
        pasted = check_pasted(name, folder, best, (folder / "runs" / "output" / "baseline.out").read_text().rstrip("\n"))
        row["pasted"] = pasted and {"compiles": pasted[0], "breaks": pasted[1]}
        is_worse = pasted is None or any(now > before for now, before in zip(pasted, plain, strict=True))
        gains = any(after[key] < base[key] for key in ("errors", "eager_calls", "limit_hits"))
        expect(not is_worse or gains, f"{name}: {best['policy']} pasted: {pasted} instead of {plain}")
    # The fewest compiles of all that was measured, without more breaks than the program has.
    others = [run["compiles"] for run in usual.values() if run["breaks"] <= base["graph_breaks"]]
    row["least"] = min([*others, *(a["run"]["compiles"] for a in report["actions"] if a["verdict"] == "better")])
    return row


def needs_tuning(row: Row) -> bool:
    """Whether it compiles more than under `dynamic=True`."""
    needed = row["usual"].get("dynamic=True")
    return needed is not None and row["before"]["compiles"] > needed["compiles"]


def is_best(row: Row) -> bool:
    """Whether nothing that was measured compiles less."""
    return bool(row["after"]["compiles"] <= row["least"])


def main() -> int:
    """Tunes all programs, prints a line for each, and sums up."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--keep", type=Path, help="keep runs in this folder, and rows of programs that are there")
    given = parser.parse_intermixed_args()
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: torch is {torch.__version__}, counts are those of {NEEDED_TORCH}")
        return SKIPPED
    names = given.names or list(sampled([*SCRIPTS, *MODELS, *gallery(), *trained()]))
    tool = str(Path(given.program).resolve())
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = (given.keep or Path(scratch)).resolve()
        for name in names:
            kept = folder / name / "row.json"
            row = json.loads(kept.read_text()) if kept.is_file() else tune_program(tool, name, folder / name)
            if isinstance(row, str):
                print(row, flush=True)
                continue
            if given.keep:
                kept.write_text(json.dumps(row))
            rows.append(row)
            before, after = row["before"], row["after"]
            told = "" if is_best(row) else f"  LEAST {row['least']}"
            print(
                f"{name:26} compiles {before['compiles']} -> {after['compiles']} breaks {before['breaks']} -> "
                f"{after['breaks']} s {before['compile_seconds']} -> {after['compile_seconds']} {row['policy']}{told}",
                flush=True,
            )
    asked = [row for row in rows if needs_tuning(row)]
    at_best = sum(is_best(row) for row in asked)
    print(f"{len(rows)} programs, {len(asked)} compile more than under dynamic=True, {at_best} of them end at the best policy")
    if given.output is not None:
        kinds = {
            "nine programs": [row for row in rows if not row["program"].startswith((GALLERY, TRAINED))],
            "gallery": [row for row in rows if row["program"].startswith(GALLERY)],
            "in training": [row for row in rows if row["program"].startswith(TRAINED)],
        }
        answer = {
            "schema": "shapewise.tune_models/1", "torch": torch.__version__, "device": f"cpu ({platform.machine()})",
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(), "sets": kinds,
        }  # fmt: skip
        given.output.write_text(json.dumps(answer, indent=1) + "\n")
    if is_whole():
        expect(at_best >= LEAST_BEST * len(asked), f"{at_best} of {len(asked)} end at the best policy measured")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
