#!/usr/bin/env python3
"""Full disks, pipes whose reader goes away, closed streams and signals.

    tests/robust/check_output.py PROGRAM CORPORA

A result is there whole or not at all: what cannot be written is an error that says why, with exit status 2, and a file that was there before
stays as it was. Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from surroundings import (
    CLEAN,
    ENVIRONMENT,
    FINDINGS,
    PATIENCE_SECONDS,
    TROUBLE,
    Failure,
    check,
    run,
    temporary_folder,
)

FULL = Path("/dev/full")
NO_SPACE = "No space left on device"
PROMPT_SECONDS = 5  # what "at once" is on a machine that has other work


def check_full_device(program: Path, log: Path, corpora: Path) -> None:
    """Every output option of the commands, and standard output."""
    dump = corpora / "dumps/dynamo_0_readable.txt"
    scenarios = corpora / "oracle/dev.scenarios.jsonl.gz"
    code = corpora / "captured/2.13.0/203-breaks-mixed/program.py"
    commands: list[list[str | bytes | Path]] = [
        [program, "lint", log],
        [program, "lint", "--format", "json", "--events", log],
        [program, "lint", "--format", "html", log],
        [program, "advise", log],
        [program, "graph", dump],
        [program, "predict", scenarios, "--format", "jsonl"],
        [program, "check", "--no-cache", code],
        [program, "explain", "SWC003"],
        [program, "rules"],
        [program, "schema", "lint"],
        [program, "completion", "bash"],
        [program, "lint", "--help"],
        [program, "--version"],
    ]
    for command in commands:
        with FULL.open("wb") as full:
            run(command, stdout=full.fileno()).must_be(
                TROUBLE, f"{command} > /dev/full", f"cannot write standard output: {NO_SPACE}"
            )
    for option in ("-o", "--partial", "--perfetto"):
        done = run([program, "lint", option, FULL, log])
        done.must_be(TROUBLE, f"lint {option} /dev/full", f"cannot write {FULL}: {NO_SPACE}")
    run([program, "report", log, "-o", FULL]).must_be(TROUBLE, "report -o /dev/full", NO_SPACE)
    run([program, "merge", log, "-o", FULL]).must_be(TROUBLE, "merge -o /dev/full")


def check_full_disk(program: Path, log: Path, folder: Path) -> None:
    """A file system without room: the old file stays, and nothing else is left behind."""
    mounted = folder / "small"
    mounted.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(mounted)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        print("a full disk: skipped, nothing may be mounted here")
        return
    try:
        for name in ("report.html", "run.partial", "timeline.json"):
            (mounted / name).write_text("as it was\n")
        with (mounted / "rest").open("wb", buffering=0) as rest:
            try:
                while rest.write(b"\0" * 4096):
                    pass
            except OSError:
                pass
        before = sorted(mounted.iterdir())
        for arguments, name in (
            (["--format", "html", "-o"], "report.html"),
            (["--partial"], "run.partial"),
            (["--perfetto"], "timeline.json"),
        ):
            path = mounted / name
            done = run([program, "lint", *arguments, path, log])
            done.must_be(TROUBLE, f"lint {arguments} on a full disk", f"write {path}: {NO_SPACE}")
            check(path.read_text() == "as it was\n", f"{name} was changed on a full disk")
            check(sorted(mounted.iterdir()) == before, f"{name}: left {sorted(mounted.iterdir())}")
    finally:
        subprocess.run(["umount", str(mounted)], check=True)


def check_reader_goes(program: Path, log: Path) -> None:
    """`shapewise | head -1`: no word about it, and no death by SIGPIPE."""
    for arguments in (["lint", "--format", "json", "--events"], ["lint", "--all"]):
        reader, writer = os.pipe()
        os.close(reader)
        try:
            done = run([program, *arguments, log], stdout=writer)
        finally:
            os.close(writer)
        done.must_be(TROUBLE, f"{arguments} | head")
        check(done.err == "", f"{arguments} | head says {done.err!r}")


def check_closed_streams(program: Path, log: Path, folder: Path) -> None:
    """No file takes the place of a stream that is closed."""
    quoted = f"'{program}' lint '{log}'"
    kept = folder / "kept.txt"
    run(["sh", "-c", f"{quoted} >&-"]).must_be(TROUBLE, ">&-", "cannot write standard output")
    closed_input = run(["sh", "-c", f"{quoted} <&-"]).must_be(FINDINGS, "<&-")
    check(closed_input.out == run([program, "lint", log]).out, "<&- changes the answer")
    # The message about the input that is missing must not get into the output.
    run(["sh", "-c", f"{quoted} missing.log -o '{kept}' 2>&-"]).must_be(TROUBLE, "2>&-")
    check("missing.log" not in kept.read_text().partition("\n")[0], "2>&- wrote into the output")
    run(["sh", "-c", f"{quoted} -o '{kept}' <&- >&- 2>&-"]).must_be(FINDINGS, "all closed")
    check(kept.read_bytes() == closed_input.out, "with all streams closed the output differs")


def check_signals(program: Path, log: Path, folder: Path) -> None:
    """A long read ends at once, by the signal, and leaves no file, whole or half."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        outputs = [folder / "out.json", folder / "out.partial", folder / "out.perfetto"]
        command: list[str | Path] = [program, "lint", "--format", "json", "-o", outputs[0]]
        with subprocess.Popen(
            [*command, "--partial", outputs[1], "--perfetto", outputs[2], log, "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
        ) as process:
            assert process.stdin is not None and process.stderr is not None
            # More than a pipe holds: some was read when this returns.
            process.stdin.write(b"a line of a run that goes on\n" * 200_000)
            process.stdin.flush()
            process.send_signal(number)
            asked = time.monotonic()
            status = process.wait(timeout=PATIENCE_SECONDS)
            took = time.monotonic() - asked
            said = process.stderr.read().decode()
        check(status == -number, f"{number.name}: exit status {status}")
        check(took < PROMPT_SECONDS, f"{number.name}: ended after {took:.1f} s")
        check(said == "", f"{number.name}: says {said!r}")
        left = sorted(path.name for path in folder.iterdir() if path.name.startswith("out"))
        check(left == [], f"{number.name}: left {left}")


def check_signal_while_writing(program: Path, log: Path, folder: Path) -> None:
    """What is under its final name was written whole, whenever the signal came."""
    path = folder / "page.html"
    whole = run([program, "report", log, "-o", path]).must_be((CLEAN, FINDINGS), "report")
    check(whole.err == "", f"report says {whole.err!r}")
    expected = path.read_bytes()
    path.unlink()
    for attempt in range(12):
        with subprocess.Popen(
            [program, "report", log, "-o", path], env=ENVIRONMENT, stderr=subprocess.DEVNULL
        ) as process:
            time.sleep(0.003 * attempt)
            process.send_signal(signal.SIGTERM)
            status = process.wait(timeout=PATIENCE_SECONDS)
        check(status in (-signal.SIGTERM, CLEAN, FINDINGS), f"report: exit status {status}")
        if path.exists():
            check(path.read_bytes() == expected, f"a half-written page after {attempt} attempts")
            path.unlink()
        left = [entry.name for entry in folder.iterdir() if entry.name.startswith("page.html")]
        check(left == [], f"report left {left}")


def main() -> int:
    """Runs all checks."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    log = corpora / "captured/2.13.0/222-limit-cache/log.txt"
    try:
        if FULL.exists():
            check_full_device(program, log, corpora)
        else:
            print("a full device: skipped, there is no /dev/full")
        for check_in_folder in (
            check_full_disk,
            check_closed_streams,
            check_signals,
            check_signal_while_writing,
        ):
            with temporary_folder() as folder:
                check_in_folder(program, log, folder)
        check_reader_goes(program, log)
    except Failure as failure:
        print(f"check_output: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
