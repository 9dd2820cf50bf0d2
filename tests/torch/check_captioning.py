#!/usr/bin/env python3
"""The captioning study at a scale that shows all but speed: nothing is compiled to kernels.

    tests/torch/check_captioning.py PROGRAM

Every policy of tests/bench/captioning/study.py must compile as often as predicted and keep the losses. Exit status: 0 held, 1 did
not, 77 torch is not there.
"""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
NEEDED_TORCH = "2.13"
STUDY = Path(__file__).resolve().parents[1] / "bench" / "captioning" / "study.py"
POLICIES = 9
# Enough of them differ for one static graph each to hit the limit of 8.
STEPS = 12


def main() -> int:
    """Runs the study and looks at its figures."""
    try:
        release = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        release = "not there"
    if not release.startswith(NEEDED_TORCH):
        wanted = f"pip install torch=={NEEDED_TORCH}.0"
        print(f"skipped: torch is {release}, predictions are of {NEEDED_TORCH}: {wanted}")
        return SKIPPED
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "figures.json"
        command = [sys.executable, str(STUDY), "--shapewise", sys.argv[1], "--output", str(output)]
        command += ["--backend", "eager", "--steps", str(STEPS), "--planned-steps", "2000", "--cost-sizes", "32", "256"]
        done = subprocess.run([*command, "--repetitions", "1", "--passes", "1"], capture_output=True, text=True, check=False)
        if not output.is_file():
            print(done.stdout[-4000:], done.stderr[-4000:], sep="\n")
            return 1
        answer = json.loads(output.read_text(encoding="utf-8"))
    failures = 0
    for row in answer["policies"]:
        held = row["error"] is None and row["compiles"] == row["predicted"] and row["equal"] is True
        print(f"{'held ' if held else 'WRONG'} {row['name']}: {row['compiles']} compiles, {row['predicted']} predicted, equal {row['equal']}, {row['error']}")
        failures += not held
    limits = [row["name"] for row in answer["policies"] if row["recompile_limit_hit"]]
    if limits != ["naive: dynamic=False"]:
        print(f"WRONG the recompile limit is hit by {limits}")
        failures += 1
    if len(answer["policies"]) != POLICIES:
        print(f"WRONG {len(answer['policies'])} policies")
        failures += 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
