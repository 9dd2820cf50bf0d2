#!/usr/bin/env python3
"""Memory does not follow the input: a gigabyte of log, of one line, or of what a small archive unpacks to.

    tests/robust/check_bounds.py PROGRAM CORPORA [GIGABYTES]

GIGABYTES: how long the log through a pipe is (1). Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Iterable, Iterator

from surroundings import (
    ENVIRONMENT,
    FINDINGS,
    TROUBLE,
    Failure,
    check,
    temporary_folder,
)

MOST_MIB = 256
GIGABYTE = 10**9
LINE = b"INFO step 12345 loss 0.1234 some output of a training run like any other\n"
BLOCK_BYTES = 1 << 20


def measured(command: list[str | Path], feed: Iterable[bytes] = ()) -> tuple[int, str, str, float]:
    """Exit status, output, messages and largest memory in MiB of `command`, given `feed`."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    ) as process:
        assert process.stdin and process.stdout and process.stderr
        for chunk in feed:
            process.stdin.write(chunk)
        process.stdin.close()
        out, err = process.stdout.read().decode(), process.stderr.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, out, err, usage.ru_maxrss / 1024


def must_be_small(name: str, mib: float, seconds: float) -> None:
    """Says what was measured, and fails above the bound."""
    print(f"{name}: {mib:.0f} MiB, {seconds:.1f} s")
    check(mib < MOST_MIB, f"{name}: {mib:.0f} MiB")


def check_lint(program: Path, name: str, path: Path | str, feed: Iterable[bytes] = ()) -> int:
    """The findings of the log must be told, whatever else there is. How many bytes were read."""
    begin = time.monotonic()
    status, out, err, mib = measured([program, "lint", "--format", "json", path], feed)
    must_be_small(name, mib, time.monotonic() - begin)
    check(status == FINDINGS, f"{name}: exit status {status}\n{err}")
    result = json.loads(out)
    rules = [finding["rule"] for finding in result["findings"]]
    check("SWC003" in rules, f"{name}: the recompiles are not found, only {rules}")
    return int(result["inputs"][0]["bytes"])


def long_log(log: bytes, size: int) -> Iterator[bytes]:
    """A log at the start and at the end of so much of something else."""
    yield log
    block = LINE * (BLOCK_BYTES // len(LINE))
    for _ in range(size // len(block)):
        yield block
    yield log


def long_line(log: bytes, byte: bytes) -> Iterator[bytes]:
    """A log behind a line of a gigabyte."""
    block = byte * BLOCK_BYTES
    for _ in range(GIGABYTE // BLOCK_BYTES):
        yield block
    yield b"\n" + log


def write_gzip_bomb(path: Path, log: bytes) -> None:
    """A gigabyte in 5 MB, and a log behind it: one member again and again."""
    member = gzip.compress(LINE * ((64 << 20) // len(LINE)), 9)
    path.write_bytes(member * 16 + gzip.compress(log))


def write_zstd_bomb(path: Path, log: bytes) -> None:
    """A gigabyte in 32 KB, and a log behind it. Source: RFC 8878, 3.1.1: a block that repeats a byte."""
    magic = (0xFD2FB528).to_bytes(4, "little")
    window = b"\0" + bytes([7 << 3])  # no size of the content, a window of 128 KiB

    def block(kind: int, size: int, last: bool) -> bytes:
        return (size << 3 | kind << 1 | last).to_bytes(3, "little")

    repeats = block(1, 128 << 10, last=False) + b"x"
    frame = magic + window + repeats * 8192 + block(0, 1, last=True) + b"\n"
    path.write_bytes(frame + magic + window + block(0, len(log), last=True) + log)


def write_zip_bomb(path: Path, name: str) -> None:
    """A member that a reader of graphs wants, of a gigabyte."""
    chunk = b" " * (16 << 20)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("archive/version", "3")
        with archive.open(name, "w") as member:
            for _ in range(GIGABYTE // len(chunk)):
                member.write(chunk)


def check_archives(program: Path, log: bytes, folder: Path) -> None:
    """Small archives of much."""
    for name, write in (("bomb.gz", write_gzip_bomb), ("bomb.zst", write_zstd_bomb)):
        path = folder / name
        write(path, log)
        read = check_lint(program, f"{name}, {path.stat().st_size >> 10} KiB", path)
        check(read > GIGABYTE, f"{name}: only {read} bytes read")
    for name in ("archive/models/model.json", "archive/data.pkl"):
        path = folder / "bomb.pt2"
        write_zip_bomb(path, name)
        begin = time.monotonic()
        status, _, err, mib = measured([program, "graph", path])
        must_be_small(f"{name} of 1 GB", mib, time.monotonic() - begin)
        check(status == TROUBLE, f"{name}: exit status {status}")
        check("bomb.pt2" in err, f"{name}: says {err!r}")


def main() -> int:
    """Runs all checks."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    size = int(float(sys.argv[3]) * GIGABYTE) if len(sys.argv) > 3 else GIGABYTE
    log = (corpora / "captured/2.13.0/222-limit-cache/log.txt").read_bytes()
    try:
        read = check_lint(program, f"{size / GIGABYTE:.0f} GB of log", "-", long_log(log, size))
        check(read > 0.99 * size, f"only {read} of {size} bytes read")
        check_lint(program, "a line of 1 GB", "-", long_line(log, b"x"))
        check_lint(program, "a line of 1 GB of NUL", "-", long_line(log, b"\0"))
        with temporary_folder() as folder:
            check_archives(program, log, folder)
    except Failure as failure:
        print(f"check_bounds: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
