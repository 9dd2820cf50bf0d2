#!/usr/bin/env python3
"""Print how often the first action of a finding is right, by the confidence that it states.

    check_calibration.py TOOL SHARED [LOGS:JUDGED.jsonl ...]

Each finding of the judged logs (SHARED/judged/*.jsonl, and further pairs of a folder of logs and its judgement) is one
line of evidence: the confidence of the first action that lint gives, and whether advice_score.py accepts it. Exit
status: 0, or 1 where a row with enough findings is off by more than the allowance, to either side, or 77 where nothing
is judged.
"""
import sys
from collections import defaultdict
from pathlib import Path

ALLOWANCE = 0.10
ENOUGH = 20  # findings in a row: below, chance alone moves the share by more than the allowance
ROWS = [(0.0, 0.875), (0.875, 0.925), (0.925, 1.01)]  # the classes in analyzer/docs/adding-a-rule.md


def read(scorer, tool, folder, judged):
    """(confidence, accepted) for each finding that has an action."""
    evidence = []
    for row in scorer.load(judged):
        log = folder / row["file"]
        if not log.is_file():
            continue
        answer = scorer.ask([tool], log)
        truths = row["findings"]
        for index, mine in scorer.pair(truths, answer["findings"], answer["events"]).items():
            actions = scorer.objects(answer["findings"][mine[0]].get("advice"))
            stated = [a for a in actions if a.get("confidence") is not None]
            if stated and not truths[index].get("optional"):
                evidence.append((stated[0]["confidence"], scorer.accepted(truths[index], stated[0])))
    return evidence


def table(evidence):
    """The lines to print, and whether each row with enough findings holds what it states."""
    lines, holds = ["confidence  findings  stated  right"], True
    rows = defaultdict(list)
    for confidence, is_right in evidence:
        rows[next(row for row in ROWS if row[0] <= confidence < row[1])].append((confidence, is_right))
    for low, high in ROWS:
        items = rows[(low, high)]
        if not items:
            continue
        stated = sum(c for c, _ in items) / len(items)
        right = sum(r for _, r in items) / len(items)
        off = len(items) >= ENOUGH and abs(round(right, 2) - round(stated, 2)) > ALLOWANCE + 1e-9
        holds &= not off
        remark = "  off" if off else ""
        lines.append(f"{low:.2f}-{min(high, 1):.2f}   {len(items):8}  {stated:6.2f}  {right:5.2f}{remark}")
    return lines, holds


def main(arguments):
    tool, shared = str(Path(arguments[0]).resolve()), Path(arguments[1])
    if not (shared / "judged" / "advice_score.py").is_file():
        print(f"no judged logs in {shared}")
        return 77
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(shared / "judged"))
    import advice_score  # noqa: PLC0415  (only there where the material is)

    pairs = [(shared / "wild2", shared / "judged" / "dev.jsonl"), (shared / "wild", shared / "judged" / "wild.jsonl")]
    pairs += [tuple(map(Path, pair.split(":", 1))) for pair in arguments[2:]]
    evidence = [item for folder, judged in pairs for item in read(advice_score, tool, folder, judged)]
    lines, holds = table(evidence)
    print("\n".join(lines))
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
