#!/usr/bin/env python3
"""Checks that every output format of `lint` and `check` names the same findings.

    tests/tools/check_format_laws.py PROGRAM ROOT [--whole]

The findings of the JSON result are compared with those read from the text, jsonl, sarif, github, gitlab, junit, markdown
and (for lint) html output, by rule and place. tests/support/laws.py has the exit status.
"""

from __future__ import annotations

import json
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.laws import Json, Laws, copy_suite, logs, run_laws, write_project

Named = Counter[tuple[str, str]]  # rule; the line of code, or "" if the format has no code


def of_findings(findings: list[Json], rule: Callable[[Json], str], line: Callable[[Json], object]) -> Named:
    return Counter((rule(one), str(line(one) or "")) for one in findings)


def line_of(finding: Json) -> object:
    """The line of a finding of `check`, or of the place that diagnostics of `lint` have."""
    if "line" in finding:
        return finding.get("file_line") or finding["line"]
    user = finding["user"]
    return user["line"] if user["line"] and user["file"] else finding["where"]["line"]


def from_jsonl(text: str) -> Named:
    findings = [one for one in map(json.loads, text.splitlines()) if one["type"] in ("finding", "fault")]
    return of_findings(findings, lambda one: one.get("rule", "SWP000"), line_of)


def from_sarif(text: str) -> Named:
    results = [one for run in json.loads(text)["runs"] for one in run["results"] if not one.get("suppressions")]

    def line(one: Json) -> object:
        places = one.get("locations") or [{}]
        return places[0].get("physicalLocation", {}).get("region", {}).get("startLine")

    return of_findings(results, lambda one: one["ruleId"], line)


def from_github(text: str) -> Named:
    found: Named = Counter()
    for line in text.splitlines():
        if match := re.match(r"::(?:error|warning|notice) title=shapewise (\w+)(.*?)::", line):
            place = re.search(r"[ ,]line=(\d+)", match[2])
            found[match[1], place[1] if place else ""] += 1
    return found


def from_gitlab(text: str) -> Named:
    def line(one: Json) -> object:
        place = one["location"]
        return place["positions"]["begin"]["line"] if "positions" in place else place["lines"]["begin"]

    return of_findings(json.loads(text), lambda one: one["check_name"].split()[0], line)


def from_junit(text: str) -> Named:
    # A run without findings is one case that passes.
    cases = [case for case in ElementTree.fromstring(text).iter("testcase") if re.match(r"SW\w\d", case.attrib["name"])]
    return Counter((case.attrib["name"].split()[0], case.attrib.get("line", "")) for case in cases)


def from_markdown(text: str) -> Named:
    """A finding begins "**warning\\[SWB006\\]: message**", a note "**note\\[SWS002\\]**: message"; the place is an item below."""
    found: Named = Counter()
    for part in re.split(r"^(?=\*\*\w+\\\[\w+\\\](?:\*\*)?: )", text, flags=re.MULTILINE)[1:]:
        head = re.match(r"\*\*\w+\\\[(\w+)\\\]", part)
        place = re.search(r"^- `.*?:(\d+)(?::\d+)?[ `]", part, flags=re.MULTILINE)
        if head:
            found[head[1], place[1] if place else ""] += 1
    return found


def from_text(text: str) -> Named:
    """The place is a line of its own after the message, which may be wrapped; a finding without a place has none."""
    found: Named = Counter()
    for part in re.split(r"^(?=(?:error|warning|note)\[\w+\]: )", text, flags=re.MULTILINE)[1:]:
        head = re.match(r"\w+\[(\w+)\]: ", part)
        place = re.search(r"^ +--> .*?:(\d+)(?::\d+)?(?: in .*)?$", part, flags=re.MULTILINE)
        if head:
            found[head[1], place[1] if place else ""] += 1
    return found


READERS: dict[str, Callable[[str], Named]] = {
    "jsonl": from_jsonl,
    "sarif": from_sarif,
    "github": from_github,
    "gitlab": from_gitlab,
    "junit": from_junit,
    "markdown": from_markdown,
    "text": from_text,
}
# They show a message at each of its places.
FOR_SERVICES = ("sarif", "github", "gitlab", "junit")
# A format may print no place, or one of line 1 where it needs a line.
PLACELESS = {"", "1"}


def without_folded(named: Named, expected: Named, findings: list[Json]) -> Named:
    """`named` without what `expected` lacks and JSON lists as a related place of a finding: services show all places."""
    related = Counter(str(place["line"]) for one in findings for place in one["related"])
    left: Named = Counter()
    for (rule, line), count in named.items():
        more = max(0, count - expected[rule, line])
        folded = min(more, related[line])
        related[line] -= folded
        left[rule, line] += count - folded
    return +left


def rules_only(named: Named) -> Counter[str]:
    rules: Counter[str] = Counter()
    for (rule, _), count in named.items():
        rules[rule] += count
    return rules


def compare(laws: Laws, law: str, where: str, expected: Named, found: Named) -> None:
    laws.expect(
        rules_only(found) == rules_only(expected),
        law,
        f"{where}: rules {dict(rules_only(expected) - rules_only(found))} are missing, "
        f"{dict(rules_only(found) - rules_only(expected))} are too many",
    )
    placed = Counter({key: count for key, count in expected.items() if key[1] not in PLACELESS})
    missing = placed - found
    laws.expect(not missing, law, f"{where}: places {dict(missing)} are missing, found {dict(found - placed)}")


def code_formats(laws: Laws) -> None:
    suite = laws.work / "suite"
    copy_suite(laws, suite)
    folders = [suite]
    (laws.work / "broken").mkdir()
    (laws.work / "broken/model.py").write_text("import torch\n\n\ndef forward(x:\n    return x\n")
    folders.append(laws.work / "broken")
    for seed in range(40 if laws.whole else 6):
        folders.append(laws.work / f"project{seed}")
        write_project(folders[-1], seed)
    for folder in folders:
        whole = laws.check(".", inside=folder)
        expected = of_findings(whole["findings"] + whole["faults"], lambda one: str(one.get("rule", "SWP000")), line_of)
        for name, reader in READERS.items():
            done = laws.run("check", "--no-cache", "--exit-zero", "--format", name, ".", inside=folder)
            text = done.stdout.decode()
            if name == "markdown" and sum(expected.values()) > 50:
                continue  # longer tables are cut, and say so
            named = reader(text)
            if name in FOR_SERVICES:
                named = without_folded(named, expected, whole["findings"])
            compare(laws, "check format", f"{folder.name} {name}", expected, named)


def log_formats(laws: Laws) -> None:
    for log in logs(laws):
        if not laws.sampled(log.name + log.parent.name, 6):
            continue
        findings = laws.lint(str(log)).get("findings")
        if findings is None:
            continue
        expected = of_findings(findings, lambda one: str(one["rule"]), line_of)
        for number, (name, reader) in enumerate(READERS.items()):
            if not laws.whole and (number + len(log.name)) % 2 and name != "text":
                continue
            done = laws.run("lint", "--all", "--exit-zero", "--format", name, str(log))
            named = reader(done.stdout.decode())
            is_prose = name in ("text", "markdown")
            if is_prose:
                # A note is one line without a place in code, and a place may be wrapped.
                named = Counter({(rule, ""): count for rule, count in rules_only(named).items()})
            wanted = named if is_prose and rules_only(named) == rules_only(expected) else expected
            compare(laws, "lint format", f"{log.parent.name}/{log.name} {name}", wanted, named)
        page = laws.run("lint", "--exit-zero", "--format", "html", str(log)).stdout.decode()
        for rule in rules_only(expected):
            laws.expect(rule in page, "lint format", f"{log.parent.name}/{log.name} html: no {rule}")


if __name__ == "__main__":
    sys.exit(run_laws("check_format_laws", [code_formats, log_formats]))
