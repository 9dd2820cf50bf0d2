#!/usr/bin/env python3
"""Checks the `server` list of `shapewise lint` against the facts written down for each server log.

    tests/tools/check_server_facts.py PROGRAM FACTS.json

Seconds, sizes, cache state, what is unaccounted for, and findings: each fact has to be in the account of its
start and worker. Exit status: 0 all hold, 1 some do not, 2 the facts cannot be read.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

Row = dict[str, Any]

RULES = {
    "compile-off": "SWV001",
    "cold-compile-cache": "SWV003",
    "cache-key-changed": "SWV005",
    "batch-not-captured": "SWV008",
    "capture-sizes-changed": "SWV011",
    "kernel-jit-while-serving": "SWV012",
    "worker-skew": "SWV013",
    "unaccounted-gap": "SWV014",
    "graph-memory-underestimated": "SWV015",
    "compile-in-capture": "SWV016",
    "constraint-violation": "SWS010",
}
STATES = {"unknown": None, "none (nothing compiled)": None}


def worker_differences(name: str, facts: Row, worker: Row) -> list[str]:
    """What one worker's account says otherwise than `facts`."""
    wrong = []
    for phase, seconds in facts["phases"].items():
        found = worker["phases"].get(phase)
        if found is None or abs(found - seconds) > 0.005:
            wrong.append(f"worker {name}: {phase} is {seconds}, found {found}")
    for model_facts in facts.get("models", {}).values():
        missing = set(model_facts) - set(worker["phases"])
        wrong += [f"worker {name}: no phase {phase}" for phase in sorted(missing)]
    return wrong


def start_differences(facts: Row, workers: list[Row]) -> list[str]:
    """What the account of one start says otherwise than `facts`."""
    if len(workers) != len(facts["workers"]):
        return [f"{len(facts['workers'])} workers, found {len(workers)}"]
    wrong = []
    for (name, worker_facts), worker in zip(facts["workers"].items(), workers, strict=True):
        wrong += worker_differences(name, worker_facts, worker)
    first = workers[0]
    if first["engine_init_seconds"] != facts["engine"].get("init_engine"):
        wrong.append(f"init engine: found {first['engine_init_seconds']}")
    state = facts["cache"]["state"]
    if first["cache"] != STATES.get(state, state):
        wrong.append(f"cache is {state}, found {first['cache']}")
    key = facts["cache"].get("key")
    if key and key not in (first["cache_dir"] or ""):
        wrong.append(f"cache key is {key}, found {first['cache_dir']}")
    config = facts.get("config") or {}
    sizes = config.get("capture_sizes_count", len(config.get("capture_sizes", [])))
    found = first["capture_sizes"]
    if sizes and (max(found.values()) if isinstance(found, dict) else found) != sizes:
        wrong.append(f"{sizes} sizes are captured, found {found}")
    unaccounted = facts.get("derived", {}).get("unaccounted")
    told = [worker["unaccounted_seconds"] for worker in workers if worker["unaccounted_seconds"] is not None]
    if unaccounted is not None and (not told or abs(told[0] - unaccounted) > 0.005):
        wrong.append(f"unaccounted is {unaccounted}, found {told}")
    return wrong


def log_differences(program: str, log: Path, facts: Row) -> list[str]:
    """What `shapewise lint` says of `log` otherwise than `facts`."""
    run = subprocess.run([program, "lint", "--format", "json", str(log)], capture_output=True, check=False)
    result = json.loads(run.stdout)
    by_start: dict[int, list[Row]] = {}
    for worker in result["server"]:
        by_start.setdefault(worker["start"], []).append(worker)
    if len(by_start) != len(facts["starts"]):
        return [f"{len(facts['starts'])} starts, found {len(by_start)}"]
    wrong = []
    for number, start in enumerate(facts["starts"]):
        wrong += start_differences(start, by_start[number])
    rules = {finding["rule"] for finding in result["findings"]}
    for finding in facts["findings"]:
        rule = RULES.get(finding["id"])
        if rule and rule not in rules:
            wrong.append(f"no finding {rule} ({finding['id']})")
    return wrong


def main() -> int:
    program, facts_file = sys.argv[1:3]
    try:
        facts = json.loads(Path(facts_file).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        print(f"{facts_file}: {error}", file=sys.stderr)
        return 2
    failures = 0
    logs = {name: row for name, row in facts.items() if name != "_about"}
    for name, row in logs.items():
        for wrong in log_differences(program, Path(facts_file).parent / name, row):
            print(f"{name}: {wrong}")
            failures += 1
    print(f"{len(logs)} server logs, {failures} differences")
    return 1 if failures or not logs else 0


if __name__ == "__main__":
    sys.exit(main())
