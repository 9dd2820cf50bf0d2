#!/usr/bin/env python3
"""Paths that are no plain files, folders that are unreadable, deep, looping or enormous, hostile names.

    tests/robust/check_paths.py PROGRAM CORPORA

What cannot be read is named with the reason and makes the exit status 2; everything else is read nevertheless. Exit status: 0 all holds, 1
something does not.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from surroundings import (
    CLEAN,
    FINDINGS,
    PATIENCE_SECONDS,
    TROUBLE,
    Failure,
    check,
    run,
    temporary_folder,
    words_of,
)

NOBODY = 65534
MANY_FILES = 20_000
DEEP_LEVELS = 600
LOG_READERS = (["lint"], ["advise"], ["guards"], ["predict", "--log"])
READERS = (*LOG_READERS, ["graph"], ["buckets"])

HOSTILE_NAMES = (
    b"two\nlines.log",
    b"carriage\rreturn.log",
    b"escape\x1b[31m\x1b]0;title\x07.log",
    b"c1\xc2\x9b31m.log",
    b"no\xff\xfeutf-8.log",
    b"--output=option.log",
    b"-rf.log",
    b"$(touch made).log",
    b"`touch made`.log",
    b"; touch made;.log",
    b"%s%n%d.log",
    b"quote\"'.log",
    b"right\xe2\x80\xaeleft.log",
    b" .log",
    b"<script>alert(1)<script>.log",
)
HARMLESS_CONTROLS = {0x09, 0x0A}


def is_harmless(text: bytes) -> bool:
    """Whether nothing in `text` drives a terminal."""
    decoded = text.decode("utf-8")
    return all(
        ord(c) in HARMLESS_CONTROLS or not (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0) for c in decoded
    )


def rules_of(out: bytes) -> list[str]:
    """The rules of the findings of a JSON result."""
    return [finding["rule"] for finding in json.loads(out)["findings"]]


def make_odd(folder: Path) -> list[Path]:
    """Paths that exist and hold no text to read."""
    (folder / "dangling").symlink_to("nothing")
    (folder / "itself").symlink_to("itself")
    (folder / "there").symlink_to("back")
    (folder / "back").symlink_to("there")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
    names = ("dangling", "itself", "there", "socket")
    return [*(folder / name for name in names), folder / "missing", Path("/dev/null")]


def check_odd_paths(program: Path, log: Path, folder: Path) -> None:
    """Named alone and beside a log, to every command that reads."""
    for path in make_odd(folder):
        for command in READERS:
            # An empty log is a clean result.
            is_clean = path == Path("/dev/null") and command in LOG_READERS
            done = run([program, *command, path]).must_be(CLEAN if is_clean else TROUBLE, f"{command} {path}")
            check(done.err.startswith("shapewise: "), f"{command} {path} says {done.err!r}")
        done = run([program, "lint", "--format", "json", path, log])
        # What is empty hides nothing.
        done.must_be(FINDINGS if path == Path("/dev/null") else TROUBLE, f"lint {path} LOG")
        check("SWC003" in rules_of(done.out), f"{path} hides findings")
    run([program, "check", "--no-cache", folder / "missing"]).must_be(TROUBLE, "check missing")
    run([program, "lint", log, "-o", folder]).must_be(TROUBLE, "-o FOLDER", str(folder))
    run([program, "lint", log, "-o", folder / "no/out"]).must_be(TROUBLE, "-o no/out", "no/out")


def check_fifo(program: Path, log: Path, folder: Path) -> None:
    """A named pipe is read to its end; in a folder nobody waits for its writer."""
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    run([program, "lint", folder]).must_be(CLEAN, "a folder with a pipe", "no files found")
    with subprocess.Popen([program, "lint", pipe], stdout=subprocess.PIPE) as process:
        with pipe.open("wb") as writer:
            writer.write(log.read_bytes())
        out, _ = process.communicate(timeout=PATIENCE_SECONDS)
    check(process.returncode == FINDINGS, f"a named pipe: exit status {process.returncode}")
    check(b"SWC003" in out, "a named pipe: not read")


def check_links(program: Path, log: Path, folder: Path) -> None:
    """Links that lead back are not followed: each file is read once."""
    below = folder / "a/b"
    below.mkdir(parents=True)
    (below / "run.log").write_bytes(log.read_bytes())
    (below / "model.py").write_text("import torch\n")
    (below / "up").symlink_to("..")
    (below / "top").symlink_to(folder)
    (folder / "itself").symlink_to("itself")
    done = run([program, "lint", "--format", "json", folder]).must_be(FINDINGS, "looping links")
    names = [entry["name"] for entry in json.loads(done.out)["inputs"]]
    check(len(names) == 2, f"looping links: read {names}")
    done = run([program, "check", "--no-cache", folder]).must_be(CLEAN, "check, looping links")


def check_deep(program: Path, log: Path, folder: Path) -> None:
    """Below the longest path there is nothing that can be opened; it is said, and the rest is read."""
    (folder / "run.log").write_bytes(log.read_bytes())
    level = os.open(folder, os.O_RDONLY)
    try:
        for _ in range(DEEP_LEVELS):
            os.mkdir("a-folder-in-a-folder", dir_fd=level)
            deeper = os.open("a-folder-in-a-folder", os.O_RDONLY, dir_fd=level)
            os.close(level)
            level = deeper
        done = run([program, "lint", folder]).must_be(TROUBLE, "a deep folder", "name too long")
        check(b"SWC003" in done.out, "a deep folder hides the log above it")
        for command in (["check", "--no-cache"], ["graph"]):
            run([program, *command, folder]).must_be(TROUBLE, f"{command}, deep", "name too long")
    finally:
        os.close(level)
        # Python 3.11 removes folders by recursion, which this is too deep for.
        subprocess.run(["rm", "-rf", folder / "a-folder-in-a-folder"], check=True)


def check_many(program: Path, log: Path, folder: Path) -> None:
    """One log among twenty thousand files of something else."""
    for number in range(MANY_FILES):
        (folder / f"{number:05}.log").write_bytes(b"something else\n")
    (folder / "run.log").write_bytes(log.read_bytes())
    done = run([program, "lint", folder]).must_be(
        FINDINGS, f"{MANY_FILES} files", "more like these"
    )
    check(b"SWC003" in done.out, f"the log among {MANY_FILES} files is not found")
    check(len(done.err) < 4000, f"{MANY_FILES} files: {len(done.err)} bytes on stderr")
    check(len(done.out) < 4000, f"{MANY_FILES} files: {len(done.out)} bytes of text")


def check_names(program: Path, log: Path, folder: Path) -> None:
    """Names are data: no option, no command, no escape sequence, no line of their own."""
    names = os.fsencode(folder)
    for name in HOSTILE_NAMES:
        Path(os.fsdecode(os.path.join(names, name))).write_bytes(log.read_bytes())
    for form in words_of(program, "lint"):
        done = run([program, "lint", "--format", form, "."], cwd=folder)
        done.must_be(FINDINGS, f"hostile names as {form}")
        check(is_harmless(done.out), f"hostile names as {form} drive a terminal")
        check(b"<script>alert" not in done.out or form != "html", "a name became a script")
    done = run([program, "lint", "--format", "json", "."], cwd=folder)
    inputs = json.loads(done.out)["inputs"]
    check(len(inputs) == len(HOSTILE_NAMES), f"{len(inputs)} of {len(HOSTILE_NAMES)} names read")
    done = run([program, "lint", "--", *HOSTILE_NAMES], cwd=folder)
    done.must_be(FINDINGS, "hostile names as arguments")
    missing = [name + b".gone" for name in HOSTILE_NAMES]
    for command in (*READERS, ["check", "--no-cache"], ["report"], ["merge", "-o", "merged"]):
        done = run([program, *command, "--", *missing], cwd=folder)
        done.must_be(TROUBLE, f"{command} of missing hostile names")
        check(is_harmless(done.err.encode()), f"{command}: an error drives a terminal")
    for option in ("--format", "--baseline", "--output", "--unknown"):
        words = [os.fsencode(option) + b"=no/\x1b[31m\xc2\x9b\n.x", b"log"]
        done = run([program, "lint", *words], cwd=folder).must_be(TROUBLE, option)
        check(is_harmless(done.err.encode()), f"{option}: an error drives a terminal")
    check(not (folder / "made").exists(), "a name was run")
    left = {os.fsencode(entry.name) for entry in folder.iterdir()} - set(HOSTILE_NAMES)
    check(left == set(), f"hostile names: made {left}")


def check_unreadable(program: Path, log: Path, folder: Path) -> None:
    """What has no permission is told; what lies beside it is read. Root may read everything."""
    user = NOBODY if os.geteuid() == 0 else None
    logs = folder / "logs"
    (logs / "locked").mkdir(parents=True)
    (logs / "locked/inside.log").write_bytes(log.read_bytes())
    (logs / "listed").mkdir()
    (logs / "listed/inside.log").write_bytes(log.read_bytes())
    (logs / "secret.log").write_bytes(log.read_bytes())
    (logs / "run.log").write_bytes(log.read_bytes())
    (logs / "locked/model.py").write_text("import torch\n")
    # The program may be in a folder that other users cannot enter.
    copy = folder / "shapewise"
    copy.write_bytes(program.read_bytes())
    copy.chmod(0o755)
    folder.chmod(0o755)
    modes = {logs / "locked": 0o000, logs / "listed": 0o444, logs / "secret.log": 0o000}
    for path, mode in modes.items():
        path.chmod(mode)
    try:
        done = run([copy, "lint", "--format", "json", logs], user=user, cwd=folder)
        done.must_be(TROUBLE, "a folder without permission", "locked: permission denied")
        for name in ("listed/inside.log", "secret.log"):
            check(f"{name}: permission denied" in done.err, f"{name} is not told of:\n{done.err}")
        check("SWC003" in rules_of(done.out), "a folder without permission hides findings")
        done = run([copy, "lint", logs / "locked"], user=user, cwd=folder)
        done.must_be(TROUBLE, "lint LOCKED", "locked: permission denied")
        done = run([copy, "check", "--no-cache", logs], user=user, cwd=folder)
        done.must_be(TROUBLE, "check of a folder without permission", "locked: permission denied")
        done = run([copy, "lint", logs / "run.log", "-o", logs / "out"], user=user, cwd=folder)
        if user is not None:
            done.must_be(TROUBLE, "-o where nobody may write", "out: Permission denied")
            check(not (logs / "out").exists(), "-o where nobody may write: there is a file")
    finally:
        for path in modes:
            path.chmod(0o755)


def main() -> int:
    """Runs all checks, each in a folder of its own."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    log = corpora / "captured/2.13.0/222-limit-cache/log.txt"
    try:
        for check_in_folder in (
            check_odd_paths,
            check_fifo,
            check_links,
            check_deep,
            check_many,
            check_names,
            check_unreadable,
        ):
            with temporary_folder() as folder:
                check_in_folder(program, log, folder)
    except Failure as failure:
        print(f"check_paths: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
