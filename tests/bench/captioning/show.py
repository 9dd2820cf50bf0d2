#!/usr/bin/env python3
"""The figures of the captioning study as Markdown: show.py FIGURES.json [--check README.md]

With --check: whether README.md has them as they are now. Exit status: 0 yes, 1 no.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

HEAD = ("policy", "steps/s", "95 %", "of naive", "compiles", "predicted", "compile s", "losses")
EQUAL = {True: "equal", False: "differ", None: "not known"}


def lines_of(answer: dict[str, Any]) -> list[str]:
    """A sentence, and a table with the fastest policy first."""
    rows = sorted(answer["policies"], key=lambda row: -(row["steps_per_second"] or 0))
    naive = next(row for row in rows if row["name"].startswith("naive"))["steps_per_second"]
    steps = f"{rows[0]['steps']} steps, {answer['repetitions']} processes a policy"
    lines = [f"{answer['scale']} scale, {answer['device']}, torch {answer['torch']}, {answer['date']}: {steps}.", ""]
    cells = [
        [
            row["name"] + (", limit hit" if row["recompile_limit_hit"] else ""),
            f"{row['steps_per_second']:.2f}",
            "{:.2f} to {:.2f}".format(*row["steps_per_second_interval"]),
            f"{row['steps_per_second'] / naive:.2f}",
            str(row["compiles"]),
            str(row["predicted"]),
            f"{row['compile_seconds']:.0f}",
            EQUAL[row["equal"]],
        ]
        for row in rows
        if row["error"] is None
    ]
    lines += [f"| {' | '.join(line)} |" for line in (HEAD, ["---"] * len(HEAD), *cells)]
    return lines


def main(arguments: list[str]) -> int:
    """Prints or checks."""
    answer: dict[str, Any] = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    lines = lines_of(answer)
    if arguments[1:2] == ["--check"]:
        text = Path(arguments[2]).read_text(encoding="utf-8").splitlines()
        missing = [line for line in lines if line and line not in text]
        for line in missing:
            print(f"not in {arguments[2]}: {line}")
        return 1 if missing else 0
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
