#!/usr/bin/env python3
"""A system that gives no more threads: the same answers, by one.

    tests/robust/check_threads.py PROGRAM CORPORA

Every thread is to have a stack of a gigabyte where there is less memory: none can be started.
Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from surroundings import ENVIRONMENT, FINDINGS, Failure, check, temporary_folder

STACK = 1 << 30
MEMORY = 700 << 20  # of addresses
LARGE = 20_000_000


def without_threads() -> None:
    """For the process that is to be started."""
    resource.setrlimit(resource.RLIMIT_STACK, (STACK, STACK))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def cannot_start_one() -> bool:
    """Whether that keeps a program from starting a thread here."""
    code = "import threading; threading.Thread(target=print).start()"
    done = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=without_threads, capture_output=True, text=True, check=False
    )
    return done.returncode != 0 and "thread" in done.stderr


def same_without(command: list[str | Path]) -> None:
    """Fails unless `command` says the same with threads and without."""
    answers = [
        subprocess.run(command, env=ENVIRONMENT, preexec_fn=limit, capture_output=True, check=False)
        for limit in (None, without_threads)
    ]
    with_threads, alone = answers
    what = " ".join(str(word) for word in command[1:3])
    check(with_threads.returncode == FINDINGS, f"{what}: exit status {with_threads.returncode}")
    check(alone.returncode == FINDINGS, f"{what}: exit status {alone.returncode} without threads: {alone.stderr[-500:]!r}")
    check(alone.stdout == with_threads.stdout, f"{what}: says something else without threads")
    print(f"{what}: the same {len(alone.stdout)} bytes")


def main() -> int:
    """Runs all checks."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    try:
        check(cannot_start_one(), "threads can be started in spite of the limits")
        log = (corpora / "captured/2.13.0/222-limit-cache/log.txt").read_bytes()
        with temporary_folder() as folder:
            large = folder / "large.log"
            large.write_bytes((log + b"step 1 loss 0.5\n" * 10_000) * (LARGE // (len(log) + 160_000)))
            same_without([program, "lint", large, "--format", "json"])
        same_without([program, "lint", corpora / "captured/2.13.0", "--format", "json"])
        same_without([program, "check", "--no-cache", "-j4", "--format", "json", corpora / "captured"])
    except Failure as failure:
        print(f"check_threads: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
