"""The problem matchers of docs/editors.md over what the program really prints.

Usage: check_problem_matcher.py PROGRAM ROOT

Each expression is taken from the page and laid over `--format github` of captured logs and of code:
every annotation that has a file and a line has to be read, as the one that `--format json` tells.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LOGS = (
    "corpora/captured/2.13.0/222-limit-cache/log.txt",
    "corpora/captured/2.13.0/251-ranks-lengths/trace",
    "corpora/minimal/ok_break_213_branch.log",
)
CODE = """\
import torch


class Gate(torch.nn.Module):
    def forward(self, x):
        limit = x.sum().item()
        if (x > limit).any():
            print(x)
        for _ in range(3): limit += x.max(
        ).item()
        return x * limit
"""


def matchers(page: str) -> dict[str, dict[str, Any]]:
    """Of the page's tasks.json, by the label of the task."""
    found = re.search(r"^```json tasks.json\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert found, "there is no tasks.json on the page"
    tasks = json.loads(found.group(1))["tasks"]
    return {task["label"]: task["problemMatcher"] for task in tasks}


def run(program: str, folder: Path, *arguments: str) -> str:
    """What a command prints."""
    command = [program, *arguments, "--exit-zero"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def problems(matcher: dict[str, Any], output: str) -> list[dict[str, Any]]:
    """What VS Code reads: one problem a line that fits."""
    pattern = matcher["pattern"]
    expression = re.compile(pattern["regexp"])
    read = []
    for line in output.splitlines():
        match = expression.search(line)
        if match:
            groups = {
                name: match.group(number)
                for name, number in pattern.items()
                if isinstance(number, int)
            }
            severity = groups["severity"]
            groups["severity"] = matcher["severity"] if severity == "notice" else severity
            read.append(groups)
    return read


def plain(text: str) -> str:
    """GitHub's escapes."""
    for escaped, byte in (("%0A", "\n"), ("%0D", "\r"), ("%2C", ","), ("%3A", ":"), ("%25", "%")):
        text = text.replace(escaped, byte)
    return text


def key(severity: str, code: str, file: str, line: int) -> tuple[str, str, str, int]:
    """What problem and finding have in common."""
    return {"info": "note"}.get(severity, severity), code, Path(file).name, line


def check(matcher: dict[str, Any], printed: str, findings: list[dict[str, Any]], lint: bool) -> int:
    """Compares; how many were read."""
    read = problems(matcher, printed)
    annotations = [line for line in printed.splitlines() if re.match(r"::\w+ .*,line=\d+", line)]
    assert len(read) == len(annotations), f"{len(read)} of {len(annotations)} annotations are read"
    told = set()
    for finding in findings:
        place = finding
        if lint:
            place = finding["user"] if finding["user"]["line"] else finding["where"]
        if place["file"] and place["line"]:
            told.add(key(finding["severity"], finding["rule"], place["file"], place["line"]))
    seen = {key(each["severity"], each["code"], each["file"], int(each["line"])) for each in read}
    assert seen == told, seen ^ told
    messages = [finding["message"] for finding in findings]
    for each in read:
        assert any(plain(each["message"]).startswith(text) for text in messages), each
        assert "\n" not in plain(each["message"]), each
    return len(read)


def main(program: str, root: Path) -> int:
    """Runs all; an AssertionError says what is wrong."""
    page = (root / "analyzer/docs/editors.md").read_text(encoding="utf-8")
    by_label = matchers(page)
    assert set(by_label) == {"shapewise check", "shapewise lint"}, by_label.keys()
    read = 0
    for log in LOGS:
        printed = run(program, root, "lint", "--format", "github", log)
        findings = json.loads(run(program, root, "lint", "--format", "json", log))["findings"]
        read += check(by_label["shapewise lint"], printed, findings, lint=True)
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / "model.py").write_text(CODE, encoding="utf-8")
        printed = run(program, folder, "check", "--no-cache", "--format", "github", ".")
        findings = json.loads(run(program, folder, "check", "--no-cache", "--format", "json", "."))
        count = check(by_label["shapewise check"], printed, findings["findings"], lint=False)
        columns = problems(by_label["shapewise check"], printed)
        assert any(each["column"] and each["endColumn"] for each in columns), columns
        assert count > 2, count
    assert read > 2, read
    print(f"{read + count} annotations are read by the problem matchers of docs/editors.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
