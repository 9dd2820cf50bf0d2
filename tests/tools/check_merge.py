#!/usr/bin/env python3
"""Checks `lint --partial` and `merge` as a user runs them: over files, in groups, damaged and repeated.

    tests/tools/check_merge.py PROGRAM CORPORA

Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LOGS = (
    "captured/2.13.0/231-torchrun-ddp/log.txt",
    "minimal/ok_limit_27.log",
    "minimal/bad_invalid_utf8.log",
    "hostile/bad_empty.log",
)


class Check:
    """Runs the program and keeps what did not hold."""

    def __init__(self, program: str, corpora: Path, folder: Path) -> None:
        self.program = program
        self.corpora = corpora
        self.folder = folder
        self.problems: list[str] = []

    def run(self, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self.program, *arguments], cwd=self.corpora, capture_output=True, timeout=60, check=False
        )

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.problems.append(what)

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def make_partials(self) -> list[str]:
        paths = []
        for number, log in enumerate(LOGS):
            path = self.path(f"{number}.partial")
            done = self.run("lint", "--partial", path, log)
            self.expect(done.returncode in (0, 1, 2), f"lint --partial {log}: {done.stderr!r}")
            self.expect(Path(path).is_file(), f"lint --partial {log}: wrote nothing")
            paths.append(path)
        return paths

    def merge(self, name: str, *parts: str) -> str:
        done = self.run("merge", "-o", self.path(name), *parts)
        self.expect(done.returncode == 0, f"merge {name}: {done.stderr!r}")
        return self.path(name)

    def check_law(self, parts: list[str]) -> None:
        left = self.merge("left", self.merge("ab", *parts[:2]), self.merge("cd", *parts[2:]))
        right = self.merge("right", parts[0], self.merge("bcd", *parts[1:]))
        self.expect(Path(left).read_bytes() == Path(right).read_bytes(), "groups give other bytes")
        told = ("lint", "--format", "json", "--events", "--exit-zero")
        whole = self.run(*told, *LOGS)
        self.expect(whole.stdout == self.run(*told, left).stdout, "lint tells another result")
        mixed = self.run(*told, LOGS[0], parts[1], self.path("cd"))
        self.expect(whole.stdout == mixed.stdout, "logs and partials do not mix")

    def check_repeated(self, parts: list[str]) -> None:
        done = self.run("merge", "-o", self.path("once"), parts[0], parts[1], parts[0])
        self.expect(b"is named more than once and is read once" in done.stderr, "a repeated name is not noted")
        copy = self.path("copy")
        shutil.copy(parts[0], copy)
        done = self.run("merge", "-o", self.path("twice"), parts[0], parts[1], copy)
        self.expect(done.returncode == 0, "merging a rank twice fails")
        self.expect(b"was read twice: what it holds counts twice" in done.stderr, "a repeated rank is not told")

    def check_damaged(self, parts: list[str]) -> None:
        whole = Path(parts[0]).read_bytes()
        for size in (5, 100, len(whole) // 2, len(whole) - 8):
            path = Path(self.path("cut"))
            path.write_bytes(whole[:size])
            done = self.run("merge", "-o", self.path("rest"), str(path))
            self.expect(done.returncode == 2, f"a partial cut to {size} bytes: exit status {done.returncode}")
            self.expect(b"error: cannot read" in done.stderr or size == 5, f"cut to {size}: {done.stderr!r}")


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        check = Check(sys.argv[1], Path(sys.argv[2]), Path(folder))
        parts = check.make_partials()
        check.check_law(parts)
        check.check_repeated(parts)
        check.check_damaged(parts)
    for problem in check.problems:
        print(problem)
    return 1 if check.problems else 0


if __name__ == "__main__":
    sys.exit(main())
