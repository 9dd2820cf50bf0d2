"""What the checks of hostile surroundings share: how the program is run, and how a check fails."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Iterator

CLEAN, FINDINGS, TROUBLE, SKIPPED = 0, 1, 2, 77
PATIENCE_SECONDS = 60  # nothing here takes a tenth of it; a sanitizer takes its time

CRASHES = {-signal.SIGSEGV, -signal.SIGBUS, -signal.SIGABRT, -signal.SIGPIPE, -signal.SIGILL}

# A sanitizer would keep freed memory.
ENVIRONMENT = dict(
    os.environ, ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=1"
)


class Failure(Exception):
    """What did not hold."""


def check(holds: bool, what: str) -> None:
    """Fails with `what` unless it holds."""
    if not holds:
        raise Failure(what)


@dataclass
class Run:
    """How one process ended."""

    status: int  # below 0: the signal that ended it
    out: bytes
    err: str

    def must_be(self, statuses: int | tuple[int, ...], what: str, *said: str) -> Run:
        """Fails unless it ended so, and said all of `said` on stderr."""
        expected = statuses if isinstance(statuses, tuple) else (statuses,)
        check(
            self.status in expected,
            f"{what}: exit status {self.status}, not {expected}\n{self.err[-2000:]}",
        )
        for words in said:
            check(words in self.err, f"{what}: stderr lacks {words!r}\n{self.err[-2000:]}")
        return self


def run(
    command: list[str | bytes | Path],
    *,
    stdin: bytes | int | None = None,
    stdout: int = subprocess.PIPE,
    cwd: Path | None = None,
    user: int | None = None,
    environment: dict[str, str] | None = None,
) -> Run:
    """Runs `command` to its end, which has to come within PATIENCE_SECONDS."""
    done = subprocess.run(
        command,
        input=stdin if isinstance(stdin, bytes) else None,
        stdin=stdin if isinstance(stdin, int) else None,
        stdout=stdout,
        stderr=subprocess.PIPE,
        cwd=cwd,
        user=user,
        env={**ENVIRONMENT, **(environment or {})},
        timeout=PATIENCE_SECONDS,
        check=False,
    )
    check(done.returncode not in CRASHES, f"{command}: crashed with {done.returncode}")
    return Run(done.returncode, done.stdout or b"", done.stderr.decode("utf-8", "backslashreplace"))


def words_of(program: Path, command: str, option: str = "--format") -> list[str]:
    """The words that an option takes: a new one is under these checks without being named here."""
    told = run([program, command, option, "no such word", "-"], stdin=b"")
    words = re.search(r"is not one of ([\w-]+(?:, [\w-]+)*)", told.err)
    if words is None:
        raise Failure(f"{command} {option} does not tell its words: {told.err}")
    return words[1].split(", ")


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is gone afterwards; its path has no links in it."""
    with tempfile.TemporaryDirectory(prefix="shapewise-") as name:
        yield Path(name).resolve()
