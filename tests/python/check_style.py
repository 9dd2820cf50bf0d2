#!/usr/bin/env python3
"""ruff and mypy over the package and its tests.

    tests/python/check_style.py ROOT

Exit status: 0 clean, 1 not, 77 neither is installed.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys

SKIPPED = 77
TYPED = (
    *("python", "examples/python", "tests/python", "tests/gpu", "tests/bench/bench_replay.py"),
    *("tests/torch/check_replay.py", "tests/torch/replay_subjects.py"),
    *("tests/fleet/fleet_jobs.py", "tests/tools/check_redaction.py", "tests/robust"),
)


def main() -> int:
    """Runs what is there."""
    commands = {
        "ruff": (
            ["check", "python", "tests", "examples"],
            ["format", "--check", "python", "tests/python", "examples"],
        ),
        # Without torch its types are not known, and everything that is made of it is an error.
        "mypy": ([*TYPED],) if importlib.util.find_spec("torch") else (),
    }
    status = SKIPPED
    for name, runs in commands.items():
        if importlib.util.find_spec(name) is None:
            print(f"skipped: {name} is not installed")
            continue
        for arguments in runs:
            done = subprocess.run(
                [sys.executable, "-m", name, *arguments], cwd=sys.argv[1], check=False
            )
            failed = done.returncode != 0 or status == 1
            status = 1 if failed else 0
    return status


if __name__ == "__main__":
    sys.exit(main())
