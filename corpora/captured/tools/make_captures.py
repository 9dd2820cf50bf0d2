#!/usr/bin/env python3
"""Runs captured programs under the torch of this interpreter; keeps their logs and the truth.

    python3 make_captures.py PROGRAMS OUT [ID ...]        (PROGRAMS: corpora/captured/2.13.0)

OUT/ID/log.txt is what the program printed, paths of this machine replaced; OUT/ID/truth.json what
the process itself knew at its end: compilations and counters. Printed are rows for
corpora/FACTS.jsonl: the recompiles that the process counted, at the lines that begin them. Nothing
in truth or facts comes from shapewise.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

WORK = Path("/tmp/app")
TIMEOUT = 300
MOST_BYTES = 100_000

# Runs as sitecustomize in the captured process.
HOOK = '''
import atexit, json, os, sys

def write():
    if "torch._dynamo" not in sys.modules:
        return
    import torch
    from torch._dynamo import utils
    names = ("compile_id", "co_name", "co_filename", "co_firstlineno", "fail_type", "fail_reason", "graph_op_count", "recompile_reason")
    rows = [{n: getattr(m, n, None) for n in names} for m in utils.get_compilation_metrics() if m.co_name and m.is_forward is not False]
    truth = {"torch": torch.__version__, "compilations": rows, "counters": {k: dict(v) for k, v in utils.counters.items() if v}}
    with open(os.environ["CAPTURE_TRUTH"], "w") as file:
        json.dump(truth, file, default=str)

atexit.register(write)
'''


def without_paths(text: str) -> str:
    """The text with neutral names for where Python and torch lie on this machine."""
    site = sysconfig.get_paths()["purelib"]
    library = sysconfig.get_paths()["stdlib"]
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    text = text.replace(site, f"/usr/local/lib/{version}/site-packages").replace(library, f"/usr/lib/{version}")
    return text.replace(sys.prefix, "/usr/local")


def run(program: Path, command: str, script: str) -> tuple[str, dict[str, Any]]:
    """What the program printed, and what its process knew."""
    for path in WORK.glob("*"):
        if path.is_file():
            path.unlink()
    WORK.mkdir(exist_ok=True)
    (WORK / script).write_text(program.read_text())
    hook = WORK / "hook"
    hook.mkdir(exist_ok=True)
    (hook / "sitecustomize.py").write_text(HOOK)
    truth = WORK / "truth.json"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TORCH")}
    environment |= {"PYTHONPATH": str(hook), "CAPTURE_TRUTH": str(truth)}
    words = shlex.split(command)
    settings = dict(word.split("=", 1) for word in words if re.match(r"[A-Z_]+=", word))
    done = subprocess.run(
        [sys.executable, script],
        cwd=WORK,
        env=environment | settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )
    known: dict[str, Any] = json.loads(truth.read_text()) if truth.is_file() else {}
    return without_paths(done.stdout), known


def facts(log: str, known: dict[str, Any], command: str) -> dict[str, Any]:
    """The recompiles that the process counted, as a row of FACTS.jsonl without its file."""
    lines = log.splitlines()
    rows = []
    for one in known["compilations"]:
        if not one["recompile_reason"]:
            continue
        place = f"{one['co_name']} in {one['co_filename']}:{one['co_firstlineno']}"
        begins = re.compile(
            rf"\[{one['compile_id']}\] \[__recompiles(_verbose)?\] "
            rf"Recompiling function {re.escape(place)}$"
        )
        at = next((i + 1 for i, line in enumerate(lines) if begins.search(line)), None)
        if at is None:
            continue
        file = "/".join(Path(one["co_filename"]).parts[-2:])
        rows.append(
            {
                "kind": "recompile",
                "at": at,
                "function": one["co_name"],
                "file": file,
                "function_line": one["co_firstlineno"],
                "compile_id": one["compile_id"],
            }
        )
    limits = [i + 1 for i, line in enumerate(lines) if "torch._dynamo hit config." in line]
    # What a limit, or error_on_recompile, ends is announced and not counted.
    is_whole = sum("Recompiling function " in line for line in lines) == len(rows)
    complete = {"recompile": len(rows)} if is_whole and "recompiles" in command else {}
    complete["recompile_limit"] = len(limits)
    rows += [{"kind": "recompile_limit", "at": at} for at in limits]
    return {"facts": rows, "absent": [], "complete": complete}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("ids", nargs="*", help="only these; beginnings")
    arguments = parser.parse_args()
    for folder in sorted(arguments.programs.iterdir()):
        if arguments.ids and not folder.name.startswith(tuple(arguments.ids)):
            continue
        if not (folder / "truth.json").is_file():
            continue
        told = json.loads((folder / "truth.json").read_text())
        # Several processes need a launcher, and the second run of one program a folder that stays.
        if "processes" in told or ";" in told["command"] or "TORCH_TRACE" in told["command"]:
            continue
        log, known = run(folder / "program.py", told["command"], told["script"])
        if not known or len(log) > MOST_BYTES:
            print(f"{folder.name}: left out ({len(log)} bytes)", file=sys.stderr)
            continue
        out = arguments.out / folder.name
        out.mkdir(parents=True, exist_ok=True)
        (out / "log.txt").write_text(log)
        known |= {"id": folder.name, "script": told["script"], "command": told["command"]}
        (out / "truth.json").write_text(without_paths(json.dumps(known, indent=1)) + "\n")
        row = {"file": f"captured/{arguments.out.name}/{folder.name}/log.txt"} | facts(log, known, told["command"])
        print(json.dumps(row), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
