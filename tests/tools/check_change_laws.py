#!/usr/bin/env python3
"""Checks that `check --diff` reports what a change introduces, whatever git is set to.

    tests/tools/check_change_laws.py PROGRAM ROOT [--whole]

Changes are generated as edits of lines that remember which line they were. Every finding that was not there before is
reported, and nothing that was there, as severe, on a line which the change did not touch. Settings of git, attributes and the folder
that the program runs in change nothing. tests/support/laws.py has the exit status; 77 without git.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.laws import BLOCKS, SIMPLE, Laws, run_laws, severities, sites, write_project

Line = tuple[int, str]  # its number before the change, 0: it is new; its text
Place = tuple[str, int, int]  # file, line before the change, column
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=True, capture_output=True, env={**os.environ, **QUIET}
    )
    return done.stdout.decode()


def indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip())]


@dataclass
class Edit:
    """One file while it is changed."""

    lines: list[Line]
    random: random.Random
    moved: bool = False  # git may show other lines as changed than those that were

    def places(self, words: tuple[str, ...]) -> list[int]:
        return [i for i, (_, text) in enumerate(self.lines) if text.strip().startswith(words)]

    def statement(self, margin: str) -> Line:
        return (0, margin + self.random.choice(SIMPLE).format(n=self.random.randint(1000, 9999)))

    def insert(self) -> None:
        at = self.random.choice(self.places(("y", "x", "print", "return")))
        self.lines.insert(at, self.statement(indent(self.lines[at][1])))

    def insert_under_branch(self) -> None:
        """A statement under a branch that was there."""
        branches = self.places(("if ", "while "))
        if branches:
            at = self.random.choice(branches)
            self.lines.insert(at + 1, self.statement(indent(self.lines[at][1]) + "    "))

    def wrap(self) -> None:
        """A branch around a statement that was there."""
        at = self.random.choice(self.places(("y", "print")) or self.places(("return",)))
        text = self.lines[at][1]
        head = indent(text) + self.random.choice(BLOCKS).format(n=self.random.randint(1000, 9999))
        self.lines[at : at + 1] = [(0, head), (0, "    " + text)]

    def remove(self) -> None:
        lines = self.places(("y", "print"))
        if lines:
            at = self.random.choice(lines)
            self.lines[at] = (0, indent(self.lines[at][1]) + "pass")

    def unbranch(self) -> None:
        """A branch that decides by a constant from now on: what is under it has a finding of its own."""
        branches = self.places(("if x", "while x"))
        if branches:
            at = self.random.choice(branches)
            self.lines[at] = (0, indent(self.lines[at][1]) + "if True:")

    def comment(self) -> None:
        at = self.random.choice(self.places(("def", "class", "y", "return")))
        self.lines.insert(at, (0, indent(self.lines[at][1]) + f"# a comment {self.random.randint(0, 10**6)}"))

    def reach(self) -> None:
        """A call makes a function matter that no line of the change is in."""
        at = self.places(("return x * ",))[0]
        self.lines[at] = (0, self.lines[at][1] + " + self.idle(x)")

    def retype(self) -> None:
        """Another annotation changes what untouched lines do."""
        at = self.random.choice(self.places(("def ",)))
        self.lines[at] = (0, self.lines[at][1].replace("x: torch.Tensor", "x: int"))

    def rename(self) -> None:
        self.lines = [
            (0, text.replace("inner(", "inside(")) if "inner(" in text else (number, text)
            for number, text in self.lines
        ]

    def move(self) -> None:
        """The second method before the first."""
        heads = [*self.places(("def ",)), len(self.lines)]
        first, second, third = heads[:3]
        self.lines[first:third] = self.lines[second:third] + self.lines[first:second]
        self.moved = True


EDITS = (
    Edit.insert,
    Edit.insert_under_branch,
    Edit.wrap,
    Edit.remove,
    Edit.unbranch,
    Edit.comment,
    Edit.reach,
    Edit.retype,
    Edit.rename,
    Edit.move,
)


def changes(laws: Laws) -> None:
    for seed in range(100 if laws.whole else 8):
        folder = laws.work / f"change{seed}"
        names = write_project(folder, seed)
        git(folder, "init", "-q", "-b", "main")
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", "first")
        before = severities(laws.check(".", inside=folder))
        for number, edit in enumerate(EDITS):
            check_change(laws, folder, names, before, edit, seed * len(EDITS) + number)


def check_change(
    laws: Laws, folder: Path, names: list[str], before: dict[Place, int], edit: Callable[[Edit], None], seed: int
) -> None:
    law = "diff of a change"
    edits: dict[str, Edit] = {}
    for name in names:
        if not name.endswith("helpers.py"):
            text = (folder / name).read_text()
            edits[name] = Edit(list(enumerate(text.splitlines(), start=1)), random.Random(seed))
    changed = sorted(edits)[seed % len(edits)]
    edit(edits[changed])
    old = (folder / changed).read_text()
    (folder / changed).write_text("".join(text + "\n" for _, text in edits[changed].lines))
    result = laws.check(".", inside=folder)
    now = sites(result)
    severity = severities(result)
    told = sites(laws.check("--diff", "main", ".", inside=folder))
    title = f"project {seed // len(EDITS)}, {edit.__name__} in {changed}"
    laws.expect(told <= now, law, f"{title}: reports what is not there")
    for site in now:
        file, line, column = site[:3]
        number = edits[file].lines[line - 1][0] if file in edits else line
        # A new caller may make a warning of what was a note.
        was = before.get((file, number, column), -1)
        is_new = number == 0 or severity[site[:3]] > was
        if is_new:
            laws.expect(site in told, law, f"{title}: {site[:3]} is new and not reported")
        elif not edits[file].moved if file in edits else True:
            laws.expect(site not in told, law, f"{title}: {site[:3]} is old and reported")
    (folder / changed).write_text(old)


def settings(laws: Laws) -> None:
    law = "git settings"
    folder = laws.work / "settings"
    write_project(folder, 1, models=3)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    # One file is changed, one renamed, one new, with a name that git quotes.
    model = folder / "model0.py"
    model.write_text(model.read_text().replace("return x *", "return x.sum().item() *"))
    git(folder, "mv", "parts/model1.py", "parts/renamed.py")
    renamed = folder / "parts/renamed.py"
    renamed.write_text(renamed.read_text().replace("return x *", "return x.max().item() *"))
    (folder / 'parts/n\u00e4w "one".py').write_text(model.read_text())

    def told(inside: str, env: dict[str, str]) -> set[Place]:
        # A cache is for one folder: its paths are relative to it.
        paths = ["."] if inside == "." else [".."]
        done = laws.run(
            "check", "--no-cache", "--exit-zero", "--format", "jsonl", "--diff", "main", *paths,
            inside=folder / inside, env={**os.environ, **QUIET, **env},
        )  # fmt: skip
        found = set()
        for line in done.stdout.decode().splitlines():
            finding = json.loads(line)
            if finding.get("type") == "finding":
                path = os.path.normpath(os.path.join(inside, finding["file"]))
                found.add((path, finding["line"], finding["column"]))
        return found

    plain = told(".", {})
    laws.expect(len({file for file, _, _ in plain}) == 3, law, f"plain: {sorted(plain)}")
    options = {
        "diff.relative": "true",
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.srcPrefix": "x/",
        "diff.context": "5",
        "diff.interHunkContext": "20",
        "diff.external": "echo",
        "diff.renames": "false",
        "diff.algorithm": "patience",
        "diff.wordRegex": ".",
        "diff.suppressBlankEmpty": "true",
        "diff.submodule": "log",
        "color.diff": "always",
        "color.ui": "always",
        "core.quotePath": "true",
        "core.pager": "false",
        "core.attributesFile": str(laws.work / "attributes"),
    }
    (laws.work / "attributes").write_text("*.py -diff\n")
    ways: dict[str, dict[str, str]] = {
        f"{key}={value}": {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": key, "GIT_CONFIG_VALUE_0": value}
        for key, value in options.items()
    }
    ways["GIT_DIFF_OPTS"] = {"GIT_DIFF_OPTS": "-u7"}
    ways["GIT_EXTERNAL_DIFF"] = {"GIT_EXTERNAL_DIFF": "echo"}
    ways["nothing"] = {}
    for inside in (".", "parts"):
        for way, env in ways.items():
            other = told(inside, env)
            laws.expect(other == plain, law, f"{way} in {inside}: {sorted(other ^ plain)[:4]}")


def ambiguous_word(laws: Laws) -> None:
    """The word after --diff, where fixes are asked for."""
    law = "word after --diff"
    folder = laws.work / "word"
    write_project(folder, 2)
    write_project(folder / "main", 2)
    write_project(folder / "src", 2)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "first")
    git(folder, "branch", "topic")

    def run(*arguments: str) -> tuple[int, str, str]:
        done = laws.run("check", "--no-cache", "--unsafe-fixes", *arguments, inside=folder)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    status, out, err = run("--diff", "main")
    laws.expect(status == 2 and not out and "both a commit and a path" in err, law, f"main: {status} {err}")
    laws.expect("main~0" in err and "./main" in err, law, f"main: no way out is named: {err}")
    status, out, err = run("--diff", "./main")
    laws.expect(status in (0, 1) and "+++ b/main/" in out, law, f"./main: {status} {out[:200]} {err}")
    status, out, err = run("--diff", "src")
    laws.expect(status in (0, 1) and "+++ b/src/" in out, law, f"src: {status} {out[:200]} {err}")
    status, out, err = run("--diff", "topic", "src")
    laws.expect(status == 0 and "0 findings fixed" in err, law, f"topic src: {status} {err}")
    status, out, err = run("--diff", "main~0", "src")
    laws.expect(status == 0 and "0 findings fixed" in err, law, f"main~0 src: {status} {err}")
    status, out, err = run("--diff", "nothing")
    laws.expect(status == 2 and "nothing" in err, law, f"nothing: {status} {err}")
    laws.expect(git(folder, "status", "--porcelain") == "", law, "a file was changed")


if __name__ == "__main__":
    if shutil.which("git") is None:
        print("check_change_laws: git is not there")
        sys.exit(77)
    sys.exit(run_laws("check_change_laws", [changes, settings, ambiguous_word]))
