#!/usr/bin/env python3
"""Escape sequences in logs, traces, graphs and code never reach a terminal.

    tests/robust/check_escapes.py PROGRAM CORPORA

Every name and text of a captured log, trace, dump and program, and what processes of a run tell, is given control
characters, as bytes and as JSON
escapes; no output, and no message, may hold one; in JSON they are escaped.
Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import pty
import re
import sys
import termios
from pathlib import Path
from typing import Any

from surroundings import (
    CLEAN,
    FINDINGS,
    TROUBLE,
    Failure,
    Run,
    check,
    run,
    temporary_folder,
    words_of,
)

# Colour, title, clipboard, cursor; C1 forms of them, as UTF-8 and as bytes; what single bytes do.
CONTROLS = (
    "\x1b[31m\x1b]0;title\x07\x1b]52;c;AAAA\x1b\\\x1b[2J\x9b31m\x9d0;title\x9c\x90q\x9c\b\a\v\f\x7f"
)
PREVIEW = ("check", "--no-cache", "--unsafe-fixes", "--diff")
HARMLESS = {"\n", "\t"}
LOG_NAMES = re.compile(r"\battend\b|\bgenerate\.py\b|\bsize mismatch\b|L\['k'\]|\btensor 'k'")
NAMES = re.compile(r"\b(encode|embed|ranks_lengths\.py|size mismatch|l_x_|x)\b")


def controls_in(text: bytes) -> set[str]:
    """What in `text` drives a terminal."""
    decoded = text.decode("utf-8")
    return {c for c in decoded if (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0) and c not in HARMLESS}


def planted_text(text: str, names: re.Pattern[str], raw: bytes = CONTROLS.encode()) -> bytes:
    """`text` with control characters within its names."""
    return names.sub(lambda match: match[0] + "\0here\0", text).encode().replace(b"\0here\0", raw)


def plant(value: Any) -> Any:
    """Every string of `value` with control characters at its end."""
    if isinstance(value, str):
        return value + CONTROLS
    if isinstance(value, list):
        return [plant(item) for item in value]
    if isinstance(value, dict):
        return {key: plant(item) for key, item in value.items()}
    return value


def planted_payload(text: str) -> str:
    """A payload with control characters in what its JSON says, else behind its names."""
    try:
        return json.dumps(plant(json.loads(text)))
    except ValueError:
        controls = CONTROLS.replace("\v", "").replace("\f", "")
        return NAMES.sub(lambda match: match[0] + controls, text)


def planted_trace(lines: list[str]) -> list[str]:
    """A structured trace with control characters in all that its JSON says, payloads too."""
    out: list[str] = []
    at = 0
    while at < len(lines):
        end = at + 1
        while end < len(lines) and lines[end].startswith("\t"):
            end += 1
        start = lines[at].find("{")
        if start < 0:
            out += lines[at:end]
            at = end
            continue
        envelope = json.loads(lines[at][start:])
        planted = plant(envelope)
        payload: list[str] = []
        if "has_payload" in envelope:
            text = planted_payload("\n".join(line[1:] for line in lines[at + 1 : end]))
            digest = hashlib.md5(text.encode(), usedforsecurity=False)
            planted["has_payload"] = digest.hexdigest()
            payload = ["\t" + line for line in text.split("\n")]
        out += [lines[at][:start] + json.dumps(planted), *payload]
        at = end
    return out


class Checker:
    """Runs commands over planted inputs in a folder."""

    def __init__(self, program: Path, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.runs = 0

    def text(self, *arguments: str | Path, says: str = "") -> Run:
        """What the command prints, and says on stderr, must be harmless; `says` must be in what it prints."""
        done = run([self.program, *arguments], cwd=self.folder)
        done.must_be((CLEAN, FINDINGS, TROUBLE), f"{arguments}")
        check("For usage, run" not in done.err, f"{arguments}: {done.err}")
        for name, text in (("stdout", done.out), ("stderr", done.err.encode())):
            found = controls_in(text)
            at = next((line for line in text.decode().splitlines() if found & set(line)), "")
            check(not found, f"{arguments}: {name} holds {found}: {at!r}")
        check(says in done.out.decode(), f"{arguments}: {says!r} is not in\n{done.out.decode()}")
        self.runs += 1
        return done

    def terminal(self, *arguments: str | Path, stdin: bytes = b"") -> None:
        """What the command prints on a terminal, where even code and patches are harmless."""
        screen, terminal = pty.openpty()
        settings = termios.tcgetattr(terminal)
        settings[1] &= ~termios.OPOST  # no carriage returns of the terminal's own
        termios.tcsetattr(terminal, termios.TCSANOW, settings)
        done = run(
            [self.program, *arguments],
            cwd=self.folder,
            stdin=stdin,
            stdout=terminal,
            environment={"NO_COLOR": "1"},
        )
        os.close(terminal)
        shown = b""
        try:
            while chunk := os.read(screen, 1 << 16):
                shown += chunk
        except OSError:
            pass  # the way in which a terminal ends
        os.close(screen)
        check(bool(shown), f"{arguments}: nothing on the terminal\n{done.err}")
        check(not controls_in(shown), f"{arguments}: on a terminal {controls_in(shown)}")
        self.runs += 1


def check_runs(checker: Checker, corpora: Path) -> None:
    """Logs and traces."""
    log = (corpora / "captured/2.13.0/222-limit-cache/log.txt").read_text()
    folder = corpora / "captured/2.13.0/251-ranks-lengths/trace"
    logs = checker.folder / "logs"
    logs.mkdir()
    # As UTF-8, and as the single bytes that some terminals take for C1.
    (logs / "utf8.log").write_bytes(planted_text(log, LOG_NAMES))
    (logs / "bytes.log").write_bytes(planted_text(log, LOG_NAMES, CONTROLS.encode("latin-1")))
    traces = checker.folder / "trace"
    traces.mkdir()
    for file in folder.iterdir():
        lines = gzip.decompress(file.read_bytes()).decode().split("\n")
        (traces / file.name.removesuffix(".gz")).write_text("\n".join(planted_trace(lines)))
    for runs, name in (("logs", "attend"), ("trace", "encode")):
        for form in words_of(checker.program, "lint"):
            checker.text("lint", "--format", form, "--all", "--events", runs, says=name)
        checker.text("lint", "--explain", runs, says=name)
        for what in words_of(checker.program, "advise", "--emit"):
            checker.text("advise", "--emit", what, runs)
        for command, *arguments in (
            ["advise", "--all"],
            ["guards"],
            ["predict", "--assume-no-questions", "--log"],
            ["diff", runs],
        ):
            for form in words_of(checker.program, command):
                checker.text(command, "--format", form, *arguments, runs)
        checker.text("report", "-o", "-", runs)
    nothing = checker.folder / "nothing.log"
    nothing.write_bytes(CONTROLS.encode() + b" nothing of torch \x1b[31m\x9b\n")
    for command in ("lint", "graph", "advise", "guards", "buckets"):
        checker.text(command, nothing)


def check_graphs(checker: Checker, corpora: Path) -> None:
    """Dumps of graphs."""
    for name in ("dynamo_0_readable.txt", "dynamo_0_graph.txt", "aot_forward_1_readable.txt"):
        dump = checker.folder / name
        names = re.compile(r"l_\w+_\b|'[^'\n]*'|\bs\d+\b")
        dump.write_bytes(planted_text((corpora / "dumps" / name).read_text(), names))
        for form in words_of(checker.program, "graph"):
            checker.text("graph", "--format", form, dump)


def check_code(checker: Checker) -> None:
    """Programs: names cannot hold controls, but comments, strings and excerpts can."""
    code = checker.folder / "code.py"
    code.write_bytes(
        b"import torch\n\n\n@torch.compile\ndef scale(x):\n"
        b"    if x.sum().item() > 3:  # " + CONTROLS.encode() + b"\n"
        b'        print("' + CONTROLS.replace("\f", "").encode() + b'", x)\n'
        b"    return x.tolist()  # \x1b[31m\n"
    )
    for form in words_of(checker.program, "check"):
        checker.text("check", "--no-cache", "--format", form, code, says="SWP010")
    fixed = code.read_bytes().replace(b"x.sum().item() > 3:  #", b"x.sum().item() > 3: #")
    exact = run([checker.program, *PREVIEW, code], cwd=checker.folder)
    check(CONTROLS.encode()[:5] in exact.out, "check --diff: a patch must keep every byte")
    checker.terminal(*PREVIEW, code)
    checker.terminal("check", "--no-cache", "--unsafe-fixes", "-", stdin=fixed)
    calls = checker.folder / "lengths.csv"
    calls.write_bytes(b"a\x1b[31m,length\n\x9b1,7\nb\x07,9\n" * 20)
    checker.text("buckets", calls)
    for form in words_of(checker.program, "buckets"):
        checker.text("buckets", "--format", form, "--column", "length", calls)
    for what in words_of(checker.program, "buckets", "--emit"):
        checker.text("buckets", "--emit", what, "--column", "length", calls)
    settings = checker.folder / "shapewise.toml"
    settings.write_bytes(b'[lint]\n"sel\\u001b[31mect" = 1\n')
    checker.text("lint", "logs")
    settings.write_bytes(b"[lint\x1b[31m\n")
    checker.text("lint", "logs")


def check_processes(checker: Checker) -> None:
    """What processes of a run tell of themselves: the program that is run can write there as well."""
    told = checker.folder / "told"
    told.mkdir()
    wrong_types: list[Any] = [
        None,
        [],
        7,
        {"program": 5, "stopped": "no room"},
        {"stopped": 7, "dropped_bytes": -1},
    ]
    for i, process in enumerate([{"program": "train.py", "not_logged": "too old"}, *wrong_types]):
        (told / f"{i}.json").write_text(json.dumps(plant(process)))
    (told / "cut.json").write_text('{"program": ')
    done = checker.text(
        "run", "--", "sh", "-c", f"cp {told}/*.json $SHAPEWISE_RUN_FOLDER/.processes"
    )
    done.must_be(
        CLEAN, "run", "train.py", "was not logged: too old", "was not logged to its end: no room"
    )


def main() -> int:
    """Runs all checks."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    try:
        with temporary_folder() as folder:
            checker = Checker(program, folder)
            check_runs(checker, corpora)
            check_graphs(checker, corpora)
            check_processes(checker)
            check_code(checker)
            print(f"{checker.runs} outputs, none drives a terminal")
    except Failure as failure:
        print(f"check_escapes: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
