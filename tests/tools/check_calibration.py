#!/usr/bin/env python3
"""Compare the confidence of actions with how often they are right.

    check_calibration.py TOOL SHARED [LOGS:JUDGED.jsonl ...]

first_contacts.csv, next to this file, counts the first actions for logs that no rule had been written with, set by set,
and for some sets the later actions of the same findings. Their share is what the program has to print, whatever logs it
reads. The judged logs (SHARED/judged/*.jsonl, and further pairs of a folder of logs and its judgement) have been used
to improve the rules since: they hold more, and may not hold less. Exit status: 0, or 1 where a confidence is not the
share on new logs, or judged logs hold clearly less than it, or 77 where nothing is judged.
"""
import csv
import sys
from collections import defaultdict
from math import floor
from pathlib import Path

ALLOWANCE = 0.10
ENOUGH = 20  # findings in a row: below, chance alone moves the share by more than the allowance
FIRST_CONTACTS = Path(__file__).with_name("first_contacts.csv")


def on_new_logs():
    """{confidence to print: (findings, accepted)} for the classes of analyzer/docs/adding-a-rule.md and later actions; classes
    with the same share are summed."""
    counts = defaultdict(lambda: [0, 0])
    with FIRST_CONTACTS.open(newline="") as file:
        for row in csv.DictReader(file):
            counts[row["class"]][0] += int(row["findings"])
            counts[row["class"]][1] += int(row["accepted"])
    # The rule of succession, rounded half up, as in analyzer/rules/confidence.cc.
    shares = defaultdict(lambda: (0, 0))
    for all_, won in counts.values():
        share = floor((won + 1) / (all_ + 2) * 100 + 0.5) / 100
        shares[share] = (shares[share][0] + all_, shares[share][1] + won)
    return dict(shares)


def read(scorer, tool, folder, judged):
    """(confidence, accepted) for each action of each finding."""
    evidence = []
    for row in scorer.load(judged):
        log = folder / row["file"]
        if not log.is_file():
            continue
        answer = scorer.ask([tool], log)
        truths = row["findings"]
        for index, mine in scorer.pair(truths, answer["findings"], answer["events"]).items():
            if truths[index].get("optional"):
                continue
            actions = scorer.objects(answer["findings"][mine[0]].get("advice"))
            stated = [a for a in actions if a.get("confidence") is not None]
            evidence += [(a["confidence"], scorer.accepted(truths[index], a)) for a in stated]
    return evidence


def table(evidence, expected):
    """The lines to print, and whether each confidence is the one of new logs and holds."""
    lines, holds = ["confidence  new logs   judged logs"], True
    rows = defaultdict(list)
    for confidence, is_right in evidence:
        rows[round(confidence, 2)].append(is_right)
    for confidence in sorted({*rows, *expected}):
        findings, accepted = expected.get(confidence, (0, 0))
        items = rows[confidence]
        off = confidence not in expected
        off |= len(items) >= ENOUGH and sum(items) / len(items) < confidence - ALLOWANCE
        holds &= not off
        remark = "  off" if off else ""
        lines.append(f"{confidence:10.2f}  {accepted:3} of {findings:3}  {sum(items):3} of {len(items):3}{remark}")
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
    lines, holds = table(evidence, on_new_logs())
    print("\n".join(lines))
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
