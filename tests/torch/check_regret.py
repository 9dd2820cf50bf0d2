#!/usr/bin/env python3
"""What `shapewise buckets` picks by measured costs is as fast as the best of the usual policies: two streams.

    tests/torch/check_regret.py SHAPEWISE

tests/bench/regret.py does this for more streams and with Inductor; here Dynamo's own backend "eager" runs the graphs, which
compiles in a fraction of a second, so that minutes are enough. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

SKIPPED = 77
CHOSEN = "captions,two modes"
POLICIES = "automatic dynamic,dynamic=False,mark_dynamic,fixed length"

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "bench"))
import regret  # noqa: E402


def main() -> int:
    if importlib.util.find_spec("torch") is None:
        print("skipped: torch is not installed; pip install torch==2.13.0")
        return SKIPPED
    chosen = ["--backend", "eager", "--measurements", "4", "--streams", CHOSEN, "--policies", POLICIES]
    return regret.main([sys.argv[1], *chosen])


if __name__ == "__main__":
    sys.exit(main())
