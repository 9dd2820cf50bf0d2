#!/usr/bin/env python3
"""Runs the scoring scripts over their logs, where they lie beside this checkout.

    tests/tools/run_scores.py PROGRAM FOLDER

FOLDER holds score/lint_score.py, wild/FACTS.jsonl, captures/FACTS.jsonl and judged/: logs of other people, which are
read in place and never copied. Exit status: 0 all minima are reached, 1 one is not, 77 nothing is there.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

MINIMUM = 0.98
SKIPPED = 77

SETS = ("wild/FACTS.jsonl", "captures/FACTS.jsonl")
JUDGED = (("dev.jsonl", "wild2"), ("wild.jsonl", "wild"))  # judgement in judged/, and its logs
JUDGED_MINIMA = ("--min-cause", "0.95", "--min-advice", "0.92", "--max-harmful", "0", "--max-forbidden", "0")


def score_advice(program: str, folder: Path) -> bool:
    """Whether causes and advice of the judged logs reach their minima; true where there are none."""
    score = folder / "judged" / "advice_score.py"
    reached = True
    for judged, logs in JUDGED:
        if not (score.is_file() and (score.parent / judged).is_file()):
            print(f"skipped: judged/{judged} is not there")
            continue
        command = [sys.executable, str(score), "--tool", program, "--logs", str(folder / logs), *JUDGED_MINIMA]
        done = subprocess.run([*command, str(score.parent / judged)], capture_output=True, text=True, check=False)
        print(f"judged/{judged}: {done.stdout.strip()}{done.stderr.strip()}")
        reached &= done.returncode == 0
    return reached


def main() -> int:
    program, folder = sys.argv[1], Path(sys.argv[2])
    score = folder / "score" / "lint_score.py"
    if not score.is_file():
        print(f"skipped: the scoring material is not beside this checkout ({score.name} not found)")
        return SKIPPED
    failed = False
    for facts in SETS:
        if not (folder / facts).is_file():
            print(f"skipped: {facts} is not there")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            result = Path(scratch) / "score.json"
            command = [sys.executable, str(score), "--tool", program, "--verbose"]
            done = subprocess.run(
                [*command, "--json", str(result), str(folder / facts)], capture_output=True, text=True, check=False
            )
            if not result.is_file():
                print(done.stdout, done.stderr)
                return 1
            total = json.loads(result.read_text(encoding="utf-8"))["total"]
        reached = {name: total[name] for name in ("recall", "field_accuracy", "precision")}
        print(f"{facts}: {total['whole']} of {total['logs']} logs fully right, " + str(reached))
        if min(reached.values()) < MINIMUM or total["contract_errors"]:
            print(done.stdout)
            failed = True
    return 0 if score_advice(program, folder) and not failed else 1


if __name__ == "__main__":
    sys.exit(main())
