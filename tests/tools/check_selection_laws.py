#!/usr/bin/env python3
"""Checks that --select and --ignore choose among the findings of a run, and change nothing else.

    tests/tools/check_selection_laws.py PROGRAM ROOT [--whole]

For every rule by code, prefix of codes and name: the findings with --select X are those of the whole result whose rule
fits X, and --ignore X gives the others. Findings of `check` are compared by their places, since findings that a report
shows as one are separate if one of them is not selected. tests/support/laws.py has the exit status.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.laws import Json, Laws, Site, copy_suite, logs, run_laws, site_of, sites, write_project


def heads(laws: Laws) -> list[tuple[str, str]]:
    """Code and name of every rule."""
    return [(rule["code"], rule["name"]) for rule in laws.json("rules")["rules"]]


def selectors(rules: list[tuple[str, str]]) -> list[str]:
    """Every code and name, and every prefix of a code that is not a code."""
    prefixes = {code[:length] for code, _ in rules for length in range(1, len(code))}
    return sorted(prefixes) + [word for rule in rules for word in rule]


def fits(selector: str, finding: Json) -> bool:
    return bool(finding["rule"].startswith(selector) or finding["name"] == selector)


def compare(laws: Laws, law: str, selector: str, where: str, findings: list[Json], arguments: list[str]) -> None:
    for option, wanted in (("--select", True), ("--ignore", False)):
        chosen = laws.lint(*arguments, option, selector).get("findings")
        expected = [finding for finding in findings if fits(selector, finding) == wanted]
        laws.expect(chosen == expected, law, f"{where} {option} {selector}")


def lint_together(laws: Laws) -> None:
    """All small logs in one run, by every selector."""
    folder = str(laws.root / "corpora/minimal")
    findings = laws.lint(folder)["findings"]
    present = {finding["rule"] for finding in findings}
    laws.expect(len(present) > 30, "lint selection", "corpora/minimal has findings of hardly any rule")
    rules = [(code, name) for code, name in heads(laws) if not code.startswith("SWP")]
    for selector in selectors(rules):
        if laws.sampled(selector, 6):
            compare(laws, "lint selection", selector, "corpora/minimal", findings, [folder])


def lint_alone(laws: Laws) -> None:
    """Every run by itself, by selectors of the rules that it has findings of."""
    for log in logs(laws):
        if not laws.sampled(log.name + log.parent.name, 12):
            continue
        findings = laws.lint(str(log)).get("findings", [])
        rules = sorted({(finding["rule"], finding["name"]) for finding in findings})
        words = [word for code, name in rules for word in (code, name, code[:3])]
        for selector in words if laws.whole else words[:1] + words[-1:]:
            compare(laws, "lint selection", selector, log.name, findings, [str(log)])


def code_selection(laws: Laws) -> None:
    """The check suite and generated projects."""
    copy_suite(laws, laws.work / "suite")
    projects = ["suite"]
    for seed in range(60 if laws.whole else 5):
        write_project(laws.work / f"project{seed}", seed)
        projects.append(f"project{seed}")
    rules = [(code, name) for code, name in heads(laws) if code.startswith("SWP")]
    for project in projects:
        check_project(laws, project, rules)


def under_branches(result: Json, code: str) -> list[Site]:
    """Places of other rules that are shown with a finding of the rule `code`."""

    def template(message: str) -> str:
        return message.rsplit("`")[-1]

    return [
        site_of(place)
        for finding in result["findings"]
        for place in finding["related"]
        if finding["rule"] == code
        and not place["message"].startswith(("called from ", "also in ", "here as well"))
        and template(place["message"]) != template(finding["message"])
    ]


def check_project(laws: Laws, project: str, rules: list[tuple[str, str]]) -> None:
    law = "check selection"
    inside = laws.work / project
    whole = laws.check(".", inside=inside)
    present = {finding["rule"] for finding in whole["findings"]}
    for code, name in rules:
        # Rules that have no finding of their own may have some under a branch.
        if not laws.sampled(project + code, (4 if project == "suite" else 1) if code in present else 20):
            continue
        chosen = laws.check("--select", code, ".", inside=inside)
        laws.expect({one["rule"] for one in chosen["findings"]} <= {code}, law, f"{project} --select {code}: others")
        if code in present:
            laws.expect(bool(chosen["findings"]), law, f"{project} --select {code}: nothing is left")
            named = laws.check("--select", name, ".", inside=inside)
            laws.expect(named == chosen, law, f"{project}: {name} is not {code}")
        ignored = sites(laws.check("--ignore", code, ".", inside=inside))
        both = sites(chosen) & ignored
        laws.expect(not both, law, f"{project} {code}: {sorted(both)[:3]} is selected and ignored")
        different = (sites(chosen) | ignored) ^ sites(whole)
        laws.expect(not different, law, f"{project} {code}: {sorted(different)[:3]} is lost or added")
        for place in under_branches(whole, code):
            laws.expect(place in ignored, law, f"{project} --ignore {code}: {place} is lost with its branch")
    for prefix in ("SWP", "S"):
        laws.expect(laws.check("--select", prefix, ".", inside=inside) == whole, law, f"{project} --select {prefix}")
    breaking = {one["rule"] for one in laws.check("--select", "SWP0", ".", inside=inside)["findings"]}
    laws.expect(breaking == {code for code in present if code.startswith("SWP0")}, law, f"{project} --select SWP0: {breaking}")


def compare_runs(laws: Laws) -> None:
    """`diff` and `advise`: what they list are parts of what they list without a selection."""
    runs = [path for path in logs(laws) if path.name == "log.txt"]
    for before, after in zip(runs, runs[1:], strict=False):
        if not laws.sampled(str(after.parent.name), 8):
            continue
        whole = laws.json("diff", "--exit-zero", str(before), str(after))
        lists = ("new", "gone")
        rules = sorted({one["rule"] for key in lists for one in whole.get(key, [])})
        for selector in rules:
            chosen = laws.json("diff", "--exit-zero", str(before), str(after), "--select", selector)
            for key in lists:
                expected = [one for one in whole[key] if one["rule"] == selector]
                laws.expect(chosen[key] == expected, "diff selection", f"{after.parent.name} {selector}: {key}")
        advice = laws.json("advise", "--exit-zero", str(after)).get("actions", [])
        for selector in sorted({action["rule"] for action in advice if action.get("rule")}):
            chosen_actions = laws.json("advise", "--exit-zero", str(after), "--select", selector).get("actions", [])
            others = {action["rule"] for action in chosen_actions} - {selector, None}
            laws.expect(not others, "advise selection", f"{after.parent.name} {selector}: {others}")
            laws.expect(bool(chosen_actions), "advise selection", f"{after.parent.name} {selector}: no action left")


if __name__ == "__main__":
    sys.exit(run_laws("check_selection_laws", [lint_together, lint_alone, code_selection, compare_runs]))
