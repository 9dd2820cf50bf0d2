#!/usr/bin/env python3
"""Files that others cut, empty, remove or replace while they are read.

    tests/robust/check_cut_files.py PROGRAM CORPORA

No signal ends the program; what was read before counts, and the rest is said to be missing. Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

from surroundings import (
    ENVIRONMENT,
    FINDINGS,
    PATIENCE_SECONDS,
    TROUBLE,
    Failure,
    Run,
    check,
    temporary_folder,
)

LINE = b"INFO step 12345 loss 0.1234 some output of a training run like any other\n"
LOG_BYTES = 192 << 20  # long enough to be stopped on the way
STOPPED_AFTER = LOG_BYTES // 16
CUT_AHEAD_AT = LOG_BYTES // 2 + 12345


def bytes_read(process: subprocess.Popen[bytes]) -> int:
    """How far the process has read, by what the system counts."""
    counters = Path(f"/proc/{process.pid}/io").read_text().split()
    return int(counters[counters.index("rchar:") + 1])


def stop_midway(process: subprocess.Popen[bytes], from_bytes: int) -> None:
    """Stops the process after it has read so much, which is far from the end."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while bytes_read(process) < from_bytes:
        check(process.poll() is None, "the file was read before it could be cut")
        check(time.monotonic() < deadline, "nothing is read")
    process.send_signal(signal.SIGSTOP)


def lint_while(program: Path, big: Path, happens: Callable[[Path], object]) -> tuple[Run, int]:
    """How lint ends if that happens to the file when it has read a part, and how much that was."""
    with subprocess.Popen(
        [program, "lint", "--format", "json", big],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        stop_midway(process, STOPPED_AFTER)
        so_far = bytes_read(process)
        happens(big)
        process.send_signal(signal.SIGCONT)
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
    return Run(process.returncode, out, err.decode()), so_far


def check_change(
    program: Path, log: Path, folder: Path, name: str, happens: Callable[[Path], object]
) -> tuple[Run, int]:
    """One file with the log at its start, which is in what was read when it happens."""
    big = folder / "big.log"
    with big.open("wb") as writer:
        writer.write(log.read_bytes())
        block = LINE * ((1 << 20) // len(LINE))
        while writer.tell() < LOG_BYTES:
            writer.write(block)
    done, so_far = lint_while(program, big, happens)
    check(done.status >= 0, f"{name}: ended by signal {-done.status}")
    result = json.loads(done.out)
    rules = [finding["rule"] for finding in result["findings"]]
    check("SWC003" in rules, f"{name}: what was read before is lost")
    read = result["inputs"][0]["bytes"]
    print(f"{name}: {so_far >> 20} MiB read when it happened, {read >> 20} MiB in all")
    big.unlink(missing_ok=True)
    return done, read


def main() -> int:
    """Runs all checks."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    log = corpora / "captured/2.13.0/222-limit-cache/log.txt"
    cuts: dict[str, Callable[[Path], object]] = {
        "emptied": lambda path: os.truncate(path, 0),
        "cut within what was read": lambda path: os.truncate(path, 1 << 20),
        "cut ahead of what was read": lambda path: os.truncate(path, CUT_AHEAD_AT),
    }
    others: dict[str, Callable[[Path], object]] = {
        "removed": lambda path: path.unlink(),
        "renamed": lambda path: path.rename(f"{path}.1"),
        "appended to": lambda path: path.open("ab").write(LINE * 1000),
    }
    try:
        with temporary_folder() as folder:
            for name, happens in cuts.items():
                done, read = check_change(program, log, folder, name, happens)
                done.must_be(TROUBLE, name, "big.log: cannot read on: it became shorter while it was read")
                # The system counts what the program itself was read from as well.
                check(read >= STOPPED_AFTER // 2, f"{name}: only {read} bytes are told")
                check(read <= CUT_AHEAD_AT, f"{name}: {read} bytes are told, more than there were")
            for name, happens in others.items():
                done, read = check_change(program, log, folder, name, happens)
                done.must_be(FINDINGS, name)
                check(read >= LOG_BYTES, f"{name}: only {read} bytes read")
    except Failure as failure:
        print(f"check_cut_files: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
