#!/usr/bin/env python3
"""Checks `shapewise lint --events` against the facts written down for each log of corpora/.

    tests/tools/check_facts.py PROGRAM FACTS.jsonl [--only TEXT]

A row of FACTS.jsonl says what a log reports: `facts` with the fields it states, `complete` with the exact
number of events of a kind, `maybe` for events that need not be there. Every stated field has to be in the
event at that line; no event of a complete kind may be left over. corpora/README.md explains the rows.
Exit status: 0 all rows hold, 1 some do not, 2 the facts cannot be read.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def bare(source: str) -> str:
    """A source without the L[...] around its name, as PyTorch prints it since 2.7."""
    for quote in "'\"":
        head, tail = f"L[{quote}", f"{quote}]"
        while head in source:
            before, rest = source.split(head, 1)
            name, _, after = rest.partition(tail)
            source = before + name + after
    return source.replace('"', "'").replace(" ", "")


def agrees(field: str, stated: Any, found: Any) -> bool:
    """Whether one field of an event says what the fact states."""
    if stated is False:
        return not found
    if field in ("seconds", "graph_input_gb"):
        return isinstance(found, (int, float)) and abs(stated - found) <= 1e-6 * stated
    if field in ("file", "user_file", "trigger_file") and isinstance(found, str):
        path = found.replace("\\", "/")
        return path == stated or path.endswith("/" + str(stated).lstrip("./"))
    if field == "source" and isinstance(found, str) and isinstance(stated, str):
        return bare(found) == bare(stated)
    if field == "ops" and isinstance(stated, list):
        return isinstance(found, list) and sorted(found) == sorted(stated)
    return bool(stated == found)


def differences(fact: Row, event: Row) -> list[str]:
    """The fields in which `event` is not what `fact` states."""
    wrong = []
    for field, stated in fact.items():
        if field in ("kind", "n", "reasons"):
            continue
        if not agrees(field, stated, event.get("line" if field == "at" else field)):
            wrong.append(field)
    if "reasons" in fact:
        reasons = event.get("reasons") or []
        if len(reasons) != len(fact["reasons"]):
            wrong.append(f"{len(reasons)} reasons")
        for number, (stated_reason, reason) in enumerate(zip(fact["reasons"], reasons)):
            wrong += [
                f"reasons[{number}].{field}"
                for field, stated in stated_reason.items()
                if not agrees(field, stated, reason.get(field))
            ]
    return wrong


def take_best(fact: Row, events: list[Row]) -> tuple[Row | None, list[str]]:
    """Takes from `events` the one of the fact's kind that differs least, nearest line first."""
    ranked = sorted(
        (len(differences(fact, event)), abs(fact.get("at", event["line"]) - event["line"]), index)
        for index, event in enumerate(events)
        if event["kind"] == fact["kind"]
    )
    if not ranked:
        return None, []
    event = events.pop(ranked[0][2])
    return event, differences(fact, event)


def check(program: str, row: Row, log: Path) -> list[str]:
    """What is wrong with the program's answer to one log, as sentences."""
    done = subprocess.run(
        [program, "lint", "--format", "json", "--events", str(log)], capture_output=True, timeout=60, check=False
    )
    if done.returncode == 2 and row.get("unrecognised"):
        return []
    if done.returncode not in (0, 1):
        return [f"exit status {done.returncode}: {done.stderr.decode('utf-8', 'replace').strip()}"]
    events: list[Row] = json.loads(done.stdout)["events"]
    problems = []
    for fact in row["facts"]:
        for _ in range(fact.get("n", 1)):
            event, wrong = take_best(fact, events)
            if event is None:
                problems.append(f"missed {json.dumps(fact, ensure_ascii=False)}")
            elif wrong:
                problems.append(f"{fact['kind']} at line {event['line']}: wrong {', '.join(wrong)}")
    for fact in row.get("maybe", []):
        take_best(fact, events)
    problems += [f"extra {e['kind']} at line {e['line']}" for e in events if e["kind"] in row["complete"]]
    return problems


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("program")
    parser.add_argument("facts", type=Path)
    parser.add_argument("--only", default="", help="check only logs whose name holds this")
    args = parser.parse_args()
    try:
        rows = [json.loads(line) for line in args.facts.read_text(encoding="utf-8").splitlines() if line]
    except (OSError, ValueError) as error:
        print(f"check_facts: {args.facts}: {error}", file=sys.stderr)
        return 2
    rows = [row for row in rows if args.only in row["file"]]
    failed = 0
    for row in rows:
        problems = check(args.program, row, args.facts.parent / row["file"])
        failed += bool(problems)
        for problem in problems:
            print(f"{row['file']}: {problem}")
    print(f"{len(rows) - failed} of {len(rows)} logs as written down")
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())
