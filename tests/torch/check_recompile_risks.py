#!/usr/bin/env python3
"""Whether `shapewise check` finds code that compiles again and again, and is quiet about other code.

    tests/torch/check_recompile_risks.py PROGRAM [NAME ...]

recompile_risks/ has programs, each with a line for the compiled object and one for the arguments of its calls (an item that is
called gives them). `again`: calls after the second compile, too; `steady`: at most two calls compile. Each program is run under
torch.compile, which has to agree with its word; then the check has to find enough of the first kind, and may report nothing of
the second. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import importlib.util
import json
import logging
import re
import subprocess
import sys
import tempfile
import types
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sampling import is_whole, sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
PROGRAMS = Path(__file__).resolve().parent / "recompile_risks"
LEAST_FOUND = 0.7
# A program whose first call and first new value alone compile.
STEADY = 2


@dataclass
class Program:
    """One program of the list."""

    name: str
    is_again: bool
    code: str
    compiled: str
    calls: str


def read_programs() -> list[Program]:
    programs = []
    text = "\n".join(path.read_text() for path in sorted(PROGRAMS.glob("*.txt")))
    for block in re.split(r"^=== ", text, flags=re.MULTILINE)[1:]:
        head, rest = block.split("\n", 1)
        kind, name = head.split()
        code, compiled, calls = re.split(r"^--- ", rest, flags=re.MULTILINE)
        programs.append(Program(name, kind == "again", code, compiled.strip(), calls.strip()))
    return programs


def load(path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def compiling_calls(program: Program, path: Path) -> int:
    """How many of the calls compile something."""
    import torch
    import torch._dynamo as dynamo
    from torch._dynamo.utils import counters

    dynamo.reset()
    counters.clear()
    dynamo.config.recompile_limit = 64
    names: dict[str, Any] = dict(vars(load(path)), torch=torch, r=torch.randn)
    names["m"] = eval(program.compiled, names)
    compiled = torch.compile(names["m"], backend="eager")
    count = 0
    for arguments in eval(program.calls, names):
        before = counters["frames"]["total"]
        compiled(*(arguments() if callable(arguments) else arguments))
        count += counters["frames"]["total"] > before
    return count


def found_in(program: str, folder: Path) -> dict[str, list[str]]:
    """The rules about recompiling that match, by program."""
    ran = subprocess.run([program, "check", "--format", "json", "--exit-zero", str(folder)],
                         capture_output=True, text=True, check=True)
    found: dict[str, list[str]] = {}
    for finding in json.loads(ran.stdout)["findings"]:
        if finding["rule"].startswith("SWP1"):
            found.setdefault(Path(finding["file"]).stem, []).append(finding["rule"])
    return found


def main() -> int:
    try:
        import torch
    except ImportError:
        return SKIPPED
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"torch {torch.__version__} is not {NEEDED_TORCH}")
        return SKIPPED
    logging.disable(logging.ERROR)
    chosen = sys.argv[2:]
    programs = [one for one in read_programs() if not chosen or one.name in chosen]
    if not chosen:
        programs = list(sampled(programs))
    wrong = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for one in programs:
            path = folder / f"{one.name}.py"
            path.write_text(one.code)
            count = compiling_calls(one, path)
            if (count > STEADY) != one.is_again:
                wrong.append(f"{one.name}: {count} calls compile")
        found = found_in(sys.argv[1], folder)
    again = [one.name for one in programs if one.is_again]
    missed = [name for name in again if name not in found]
    alarms = [f"{one.name}: {found[one.name]}" for one in programs
              if not one.is_again and one.name in found]
    print(f"{len(again) - len(missed)} of {len(again)} that compile again found; "
          f"{len(alarms)} of {len(programs) - len(again)} others reported")
    for title, names in (("missed", missed), ("alarms", alarms), ("not as torch says", wrong)):
        if names:
            print(f"{title}: {', '.join(names)}")
    is_judged = is_whole() and not chosen
    recall = 1 - len(missed) / len(again) if again else 1.0
    return 1 if wrong or alarms or (is_judged and recall < LEAST_FOUND) else 0


if __name__ == "__main__":
    sys.exit(main())
