#!/usr/bin/env python3
"""Checks `lint --follow` as a process: files that appear, grow, rotate and are cut; alarms; signals.

    tests/tools/check_follow.py PROGRAM

Every step waits for the output it causes, or for the process to end; a step that does not cause it within
a minute fails. Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable

PATIENCE_SECONDS = 60


def record(function: str, number: int, step: int = 0, seconds: int = 0) -> str:
    """A recompile of `function`, the `number`-th, for another value of x's first dim."""
    head = f"V0106 23:01:{seconds:02d}.131000 551 torch/_dynamo/guards.py:2813] [0/{number}] [__recompiles]"
    print_of_step = f"step {step} loss=2.0\n" if step else ""
    return (
        f"{head} Recompiling function {function} in /w/{function}.py:4\n"
        f"{head}     triggered by the following guard failure(s):\n"
        f"{head}     - 0/{number - 1}: tensor 'x' size mismatch at index 0. expected {number + 6}, actual {number + 7}\n"
        + print_of_step
    )


def limit(function: str) -> str:
    """The warning that `function` hit its limit."""
    head = "W0106 23:01:30.131000 551 torch/_dynamo/convert_frame.py:906] [0/8]"
    return (
        f"{head} torch._dynamo hit config.recompile_limit (8)\n"
        f"{head}    function: '{function}' (/w/{function}.py:4)\n"
        f"{head}    last reason: 0/7: tensor 'x' size mismatch at index 0. expected 13, actual 14\n"
        f'{head} To log all recompilation reasons, use TORCH_LOGS="recompiles".\n'
        f"{head} To diagnose recompilation issues, see https://pytorch.org/docs/main/torch.compiler.html.\n"
    )


class Failure(Exception):
    """What did not hold."""


class Follower:
    """A running `lint --follow`, with its lines as they come."""

    def __init__(self, program: str, *arguments: str, stdin: int | None = None) -> None:
        self.process = subprocess.Popen(
            [program, "lint", "--follow", *arguments],
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.seen: list[str] = []
        self.lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def wait_for(self, text: str) -> str:
        """The next line with `text` in it."""
        end = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                self.process.kill()
                raise Failure(f"no line with {text!r} came; there were {self.seen}") from None
            if line is None:
                raise Failure(f"it ended without a line with {text!r}; there were {self.seen}")
            self.seen.append(line)
            if text in line:
                return line

    def finish(self, with_signal: int | None = signal.SIGINT) -> tuple[int, str]:
        """Exit status and the output that was left, after the signal."""
        if with_signal is not None:
            self.process.send_signal(with_signal)
        rest = ""
        while (line := self.lines.get(timeout=PATIENCE_SECONDS)) is not None:
            rest += line
        return self.process.wait(timeout=PATIENCE_SECONDS), rest


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


def expect(holds: bool, what: object) -> None:
    if not holds:
        raise Failure(str(what))


def follows_a_file_that_does_not_exist_yet(program: str, folder: Path) -> None:
    log = folder / "run.log"
    follower = Follower(program, str(log))
    append(log, record("attend", 1))
    # The record is open: only silence shows that it is complete.
    follower.wait_for("attend")
    append(log, record("encode", 1))
    follower.wait_for("encode")
    append(log, "".join(record("attend", number) for number in range(2, 9)) + limit("attend"))
    line = follower.wait_for("worse: ")
    expect("attend" in line, line)
    status, rest = follower.finish()
    expect(status == 1, f"exit status {status}")
    expect("has run eagerly since" in rest and "encode" in rest, f"no final verdict: {rest}")
    alone = subprocess.run([program, "lint", str(log)], capture_output=True, text=True, check=False)
    expect(rest.endswith(alone.stdout), "the final verdict is not that of lint")


def survives_rotation(program: str, folder: Path) -> None:
    log = folder / "run.log"
    append(log, record("first", 1))
    follower = Follower(program, str(log))
    follower.wait_for("first")
    append(log, record("last_of_old", 1))
    log.rename(folder / "run.log.1")
    append(log, record("renamed", 1))
    follower.wait_for("last_of_old")
    follower.wait_for("renamed")
    # A line without its end, then copytruncate: the next line is not glued to it.
    append(log, "half a line")
    append(log, "")
    with log.open("r+", encoding="utf-8") as file:
        file.truncate(0)
    append(log, record("truncated", 1))
    follower.wait_for("truncated")
    status, rest = follower.finish(signal.SIGTERM)
    # One recompile a function is worth a note, no more.
    expect(status == 0, f"exit status {status}")
    expect(all(name in rest for name in ("first", "last_of_old", "renamed", "truncated")), rest)


def follows_standard_input_to_its_end(program: str, folder: Path) -> None:
    follower = Follower(program, "--format", "jsonl", "-", stdin=subprocess.PIPE)
    assert follower.process.stdin is not None
    follower.process.stdin.write(record("attend", 1))
    follower.process.stdin.flush()
    news = json.loads(follower.wait_for("attend"))
    expect(news["type"] == "finding" and news["change"] == "new" and news["line"] == 1, news)
    follower.process.stdin.write(record("encode", 1))
    follower.process.stdin.close()
    status, rest = follower.finish(with_signal=None)
    expect(status == 0, f"exit status {status}")
    summary = json.loads(rest.splitlines()[-1])
    expect(summary["type"] == "summary" and summary["summary"]["recompiles"] == 2, rest)


def sounds_an_alarm(program: str, folder: Path) -> None:
    log = folder / "run.log"
    follower = Follower(program, "--alarm", "3 recompiles in 10s", "--alarm-exit", str(log))
    append(log, record("attend", 1, seconds=1) + record("attend", 2, seconds=20))
    follower.wait_for("attend")
    append(log, record("attend", 3, seconds=25) + record("attend", 4, seconds=29))
    follower.wait_for("alarm: 3 recompiles in 10s")
    status, rest = follower.finish(with_signal=None)
    expect(status == 1, f"exit status {status}")


def refuses_what_makes_no_sense(program: str, folder: Path) -> None:
    for arguments, words in (
        (["--alarm", "3 apples in 10s", str(folder / "x")], "expected such as"),
        (["--format", "json", str(folder / "x")], "--follow supports only the formats text and jsonl"),
        ([str(folder)], "cannot follow"),
    ):
        done = subprocess.run(
            [program, "lint", "--follow", *arguments], capture_output=True, text=True, timeout=60, check=False
        )
        expect(done.returncode == 2 and words in done.stderr, f"{arguments}: {done.stderr}")


CASES: tuple[Callable[[str, Path], None], ...] = (
    follows_a_file_that_does_not_exist_yet,
    survives_rotation,
    follows_standard_input_to_its_end,
    sounds_an_alarm,
    refuses_what_makes_no_sense,
)


def main() -> int:
    status = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(sys.argv[1], Path(folder))
            except Failure as failure:
                print(f"{case.__name__}: {failure}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
