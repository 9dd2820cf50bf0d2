#!/usr/bin/env python3
"""Checks `shapewise check` as a project uses it: changes in git, files that are written, the cache, the watch.

    tests/tools/check_code_workflow.py PROGRAM

Exit status: 0 all holds, 1 something does not, 77 git is not there.
"""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

MODEL = """import torch

from helpers import largest


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        limit = x.sum().item()
        return x * limit
"""

HELPERS = """def largest(values):
    return values.max().item()


def smallest(values):
    return values.min().item()
"""


class Check:
    """A project in a folder of its own, and what did not hold."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.problems: list[str] = []

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.problems.append(what)

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")

    def read(self, name: str) -> str:
        return (self.folder / name).read_bytes().decode()

    def run(self, *arguments: str, text: str = "", inside: str = ".") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.program, "check", *arguments],
            cwd=self.folder / inside,
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    def findings(self, *arguments: str, inside: str = ".") -> list[str]:
        """ "file:line" of what is told."""
        done = self.run("--format", "json", *arguments, inside=inside)
        if done.returncode not in (0, 1):
            self.expect(False, f"check {arguments}: {done.stderr}")
            return []
        return [f"{f['file']}:{f['line']}" for f in json.loads(done.stdout)["findings"]]

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True)

    def check_changes(self) -> None:
        self.write("model.py", MODEL)
        self.write("helpers.py", HELPERS)
        self.git("init", "-q", "-b", "main")
        self.git("add", "model.py", "helpers.py")
        self.git("commit", "-q", "-m", "first")
        self.expect(self.findings(".") == ["model.py:8"], f"all: {self.findings('.')}")
        self.expect(self.findings("--diff", "main", ".") == [], "nothing changed, but something is told")

        # A call makes a function matter that no line of the change is in.
        self.write("model.py", MODEL.replace("x * limit", "x * largest(x)"))
        told = self.findings("--diff", "main", ".")
        self.expect(told == ["helpers.py:2"], f"made reachable: {told}")
        # And of a changed line its own finding.
        self.write("model.py", MODEL.replace("limit = x.sum", "limit = 2 * x.sum"))
        told = self.findings("--diff", "main", ".")
        self.expect(told == ["model.py:8"], f"changed line: {told}")
        # Moved code is not new.
        self.write("model.py", "# a comment\n" + MODEL)
        told = self.findings("--diff", "main", ".")
        self.expect(told == [], f"moved: {told}")
        # From a folder below, and by a name of another form.
        self.write("model.py", MODEL.replace("limit = x.sum", "limit = 2 * x.sum"))
        (self.folder / "below").mkdir()
        told = self.findings("--diff", "HEAD", "../model.py", inside="below")
        self.expect(told == ["../model.py:8"], f"from below: {told}")
        # A file that git does not know yet is new as a whole.
        self.write("model.py", MODEL)
        self.write("new.py", MODEL)
        told = self.findings("--diff", "main", ".")
        self.expect(told == ["new.py:8"], f"untracked: {told}")
        # A change on a branch is compared with where it left main.
        self.git("checkout", "-q", "-b", "work")
        self.git("add", "new.py")
        self.git("commit", "-q", "-m", "work")
        self.git("checkout", "-q", "main")
        self.write("model.py", MODEL.replace("limit = x.sum", "limit = 3 * x.sum"))
        self.git("commit", "-q", "-a", "-m", "main goes on")
        self.git("checkout", "-q", "work")
        told = self.findings("--diff", "main", ".")
        self.expect(told == ["new.py:8"], f"since the branch: {told}")
        for wrong in ("no-such-branch", "--output=x"):
            done = self.run(f"--diff={wrong}", ".")
            self.expect(done.returncode == 2 and wrong in done.stderr, f"--diff {wrong}: {done}")

    def check_commits(self) -> None:
        """The pre-commit hook: `--diff HEAD --no-untracked` without file names."""
        hook = ("--diff", "HEAD", "--no-untracked", ".")
        project = "project"
        git = ("-C", project)
        self.write(f"{project}/model.py", "import torch\nfrom util import scaled\n\n\n@torch.compile\n")
        model = self.read(f"{project}/model.py") + "def step(x: torch.Tensor):\n    return scaled(x)\n"
        self.write(f"{project}/model.py", model)
        self.write(f"{project}/util.py", "def scaled(x):\n    return x * 2\n")
        self.git("init", "-q", "-b", "main", project)
        self.git(*git, "add", "util.py", "model.py")
        self.expect(self.findings(*hook, inside=project) == [], "before the first commit, something is told")
        self.write(f"{project}/util.py", "def scaled(x):\n    return x * x.sum().item()\n")
        told = self.findings(*hook, inside=project)
        self.expect(told == ["util.py:2"], f"the first commit: {told}")
        self.write(f"{project}/util.py", "def scaled(x):\n    return 2\n")
        branch = "    n = scaled(x)\n    if n > 1:\n        x = x + n\n    return x\n"
        self.write(f"{project}/model.py", model.replace("    return scaled(x)\n", branch))
        self.git(*git, "commit", "-q", "-a", "-m", "first")
        # What breaks is in a file that the commit does not touch.
        self.write(f"{project}/util.py", "def scaled(x):\n    return x.sum()\n")
        told = self.findings(*hook, inside=project)
        self.expect(told == ["model.py:8"], f"in another file: {told}")
        self.git(*git, "commit", "-q", "-a", "-m", "second")
        self.write(f"{project}/scratch.py", MODEL)
        self.expect(self.findings(*hook, inside=project) == [], "an untracked file is told of")
        told = self.findings("--diff", "HEAD", ".", inside=project)
        self.expect(told == ["scratch.py:8"], f"untracked: {told}")
        # From elsewhere, the paths say which repository is meant.
        with tempfile.TemporaryDirectory() as elsewhere:
            there = str(Path(elsewhere).resolve())
            path = str((self.folder / project).resolve())
            told = self.findings("--diff", "HEAD", path, inside=there)
            self.expect(told == [f"{path}/scratch.py:8"], f"from elsewhere: {told}")
            done = self.run("--diff", "HEAD", path, there, inside=there)
            self.expect(done.returncode == 2 and "not in the git repository" in done.stderr, f"two repositories: {done}")
        text = self.run("--diff", "HEAD", ".", inside=project).stdout
        self.expect("in 3 files (1 changed)" in text, f"changed files: {text}")
        self.expect(self.run("--no-untracked", ".").returncode == 2, "--no-untracked without --diff")

    def entries(self, name: str) -> list[str]:
        """ "file rule" of the entries of a baseline."""
        return [f"{e['file']} {e['rule']}" for e in json.loads(self.read(name))["findings"]]

    def check_baseline(self) -> None:
        """A baseline loses only entries that the check could have found."""
        two = MODEL.replace("from helpers import largest\n", "").replace("return", "print(1)\n        return")
        for name in ("base/a.py", "base/b.py", "base/below/c.py"):
            self.write(name, two)
        known = ("--baseline", "known.json")

        def update(*arguments: str, inside: str = "base") -> str:
            return self.run(*known, "--update-baseline", *arguments, inside=inside).stderr

        said = update(".")
        everything = self.entries("base/known.json")
        self.expect(len(everything) == 6 and "wrote 6 entries to known.json: 6 added, 0 removed" in said, said)
        for arguments in (("a.py",), ("--select", "SWP040", "."), ("--mode", "eval", "."), ("below",)):
            done = self.run(*known, *arguments, inside="base")
            self.expect(done.stderr == "" and done.returncode == 0, f"{arguments}: {done.stderr}")
            said = update(*arguments)
            self.expect(self.entries("base/known.json") == everything, f"{arguments}: {said}")
        # Elsewhere, by other names.
        done = self.run("--baseline", "../known.json", ".", inside="base/below")
        self.expect(done.stderr == "" and done.returncode == 0, f"from below: {done}")
        # One finding is gone.
        self.write("base/a.py", two.replace("print(1)", "pass"))
        self.expect(self.run(*known, "b.py", inside="base").stderr == "", "an entry of another file is called old")
        for arguments in (("a.py",), (".",)):
            said = self.run(*known, *arguments, inside="base").stderr
            self.expect("1 of 6 entries of known.json matches no finding" in said, f"{arguments}: {said}")
        said = update("a.py")
        self.expect("wrote 5 entries to known.json: 0 added, 1 removed, 4 kept" in said, said)
        # A function that is compiled for a caller in another file is not judged without it.
        self.write("base/d.py", "import torch\nfrom e import item\n\n\n@torch.compile\n"
                   "def step(x: torch.Tensor):\n    return item(x)\n")
        self.write("base/e.py", "def item(x):\n    return x.item()\n")
        update(".")
        self.expect("e.py SWP010" in self.entries("base/known.json"), "no entry for the called function")
        said = update("e.py")
        self.expect("e.py SWP010" in self.entries("base/known.json"), f"the called function alone: {said}")
        # Renamed, a file keeps its entries; without it, they are old.
        (self.folder / "base/b.py").rename(self.folder / "base/renamed.py")
        done = self.run(*known, ".", inside="base")
        self.expect(done.stderr == "" and done.returncode == 0, f"renamed: {done}")
        update("renamed.py")
        self.expect("b.py SWP010" not in self.entries("base/known.json"), "renamed, but the entry has the old name")
        (self.folder / "base/renamed.py").unlink()
        said = self.run(*known, ".", inside="base").stderr
        self.expect("2 of 6 entries of known.json match no finding" in said, f"deleted: {said}")
        # What older versions wrote has neither the mode nor the callers.
        old = json.loads(self.read("base/known.json"))
        del old["mode"]
        self.write("base/known.json", json.dumps(old))
        self.expect(self.run(*known, "a.py", inside="base").stderr == "", "an old baseline is judged by one file")

    def check_cache(self) -> None:
        cache = self.folder / ".shapewise_cache"
        shutil.rmtree(cache, ignore_errors=True)
        first = self.run("--format", "json", "model.py")
        kept = list(cache.glob("*.analysis"))
        self.expect(len(kept) == 1, f"kept: {kept}")
        self.expect(self.run("--format", "json", "model.py").stdout == first.stdout, "kept, it is another")
        without = self.run("--no-cache", "--format", "json", "model.py")
        self.expect(without.stdout == first.stdout, "the cache changes the answer")
        # Damage is detected and repaired.
        if kept:
            kept[0].write_bytes(kept[0].read_bytes()[:-3])
            self.expect(self.run("--format", "json", "model.py").stdout == first.stdout, "damaged")
        # The answer rests on the helper, too.
        before = self.run("model.py", "--format", "json").stdout
        self.write("helpers.py", HELPERS.replace("values.max().item()", "values.max()"))
        self.run("model.py")
        self.write("helpers.py", HELPERS)
        self.expect(self.run("model.py", "--format", "json").stdout == before, "after a change and back")
        # Several at once.
        shutil.rmtree(cache, ignore_errors=True)
        many = [
            subprocess.Popen(
                [self.program, "check", "--format", "json", "model.py"], cwd=self.folder, stdout=subprocess.PIPE
            )
            for _ in range(6)
        ]
        for process in many:
            out, _ = process.communicate(timeout=60)
            self.expect(out.decode() == first.stdout, "side by side, one says something else")
        self.run("--no-cache", "model.py")
        self.expect((cache / ".gitignore").read_text() == "*\n", "the cache is not hidden from git")

    def check_edits(self) -> None:
        self.write("edit.py", MODEL.replace("\n", "\r\n"))
        before = self.read("edit.py")
        preview = self.run("--fix", "--unsafe-fixes", "--diff", "edit.py")
        self.expect(preview.returncode in (0, 1), f"preview: {preview.stderr}")
        self.expect("would be fixed in" in preview.stderr, f"a preview says nothing: {preview.stderr}")
        self.expect(self.read("edit.py") == before, "a preview wrote")
        done = self.run("--add-ignores", "--reason", "known", "edit.py")
        after = self.read("edit.py")
        self.expect("# shapewise: ignore[" in after and "known" in after, f"--add-ignores: {done.stderr}\n{after}")
        self.expect(after.count("\r\n") == before.count("\r\n"), "--add-ignores changed line ends")
        self.expect(self.findings("edit.py") == [], "an ignore that was added holds nothing back")
        again = self.run("--add-ignores", "edit.py")
        self.expect(self.read("edit.py") == after, f"--add-ignores twice: {again.stderr}")
        cells = [{"cell_type": "code", "source": MODEL.replace("from helpers import largest\n", "print()")}]
        self.write("edit.ipynb", json.dumps({"cells": cells, "nbformat": 4}))
        for option in ("--unsafe-fixes", "--add-ignores"):
            done = self.run(option, "edit.ipynb")
            self.expect("notebooks are not changed (1 finding)" in done.stderr, f"{option}: {done.stderr}")

    def check_standard_input(self) -> None:
        self.write("helpers.py", HELPERS)
        code = MODEL.replace("x.sum().item()", "largest(x)")
        done = self.run("--stdin-filename", "unsaved.py", "--format", "json", "-", text=code)
        found = json.loads(done.stdout)
        self.expect(found["findings"] == [], "what is only imported is told of")
        self.expect(found["summary"]["functions"] == 2, f"imports of standard input: {found['summary']}")

    def check_company(self) -> None:
        """What is said of a file rests neither on the files checked with it nor on the number of threads."""
        suite = Path(__file__).resolve().parents[1] / "torch" / "check_suite"
        names = sorted(path.name for path in suite.glob("*.py"))
        for name in names:
            self.write(f"suite/{name}", (suite / name).read_text(encoding="utf-8"))

        def findings(*arguments: str) -> list[object]:
            done = self.run("--no-cache", "--exit-zero", "--format", "json", *arguments, inside="suite")
            found: list[object] = json.loads(done.stdout)["findings"]
            return found

        together = findings(".")
        self.expect(len(together) >= len(names) // 2, "the suite has hardly any findings")
        self.expect(findings("-j1", ".") == together, "one thread finds something else than several")
        alone = [finding for name in names for finding in findings(name)]
        self.expect(alone == together, "files alone have other findings than together")

    def check_environment(self) -> None:
        """In an environment torch lies beside the package, and is no part of what is checked."""
        self.write("site-packages/torch/__init__.py", "from . import nn\nfrom .tensor import Tensor\n")
        self.write("site-packages/torch/tensor.py", "class Tensor:\n    pass\n")
        self.write("site-packages/torch/nn/__init__.py", "class Module:\n    def forward(self): pass\n")
        self.write("site-packages/models/__init__.py", "")
        self.write("site-packages/models/gate.py", MODEL.replace("from helpers import largest\n", ""))
        self.expect(
            self.findings("models", inside="site-packages") == ["models/gate.py:7"],
            "torch beside the package hides what it does",
        )

    def check_watch(self) -> None:
        self.write("watched.py", "import torch\n")
        log = (self.folder / "watch.log").open("w+")
        process = subprocess.Popen(
            [self.program, "check", "--watch", "--no-cache", "--format", "github", "watched.py"],
            cwd=self.folder,
            stdout=log,
            stderr=subprocess.DEVNULL,
        )

        def wait_for(text: str) -> bool:
            for _ in range(200):
                if text in self.read("watch.log"):
                    return True
                time.sleep(0.1)
            return False

        self.expect(wait_for("no findings"), "--watch says nothing at first")
        self.write("watched.py", MODEL)
        self.expect(wait_for("file=watched.py,line=8"), "--watch does not see a change")
        process.send_signal(signal.SIGINT)
        self.expect(process.wait(timeout=30) == 1, "--watch does not end with what it said last")
        log.close()


def main() -> int:
    if shutil.which("git") is None:
        print("check_code_workflow: git is not there")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        check = Check(str(Path(sys.argv[1]).resolve()), Path(folder))
        check.check_changes()
        check.check_commits()
        check.check_baseline()
        check.check_cache()
        check.check_edits()
        check.check_standard_input()
        check.check_company()
        check.check_environment()
        check.check_watch()
    for problem in check.problems:
        print(f"check_code_workflow: {problem}")
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
