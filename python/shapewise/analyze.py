"""Lint, check, advise and buckets from Python.

Each function runs the program that belongs to this package, as `python -m shapewise` does, with
--format json, and returns what it printed as typed objects. Settings files apply as on the command
line; arguments win.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, TypeVar

from .__main__ import TROUBLE, find_program, no_program_text
from .results import Advice, Buckets, CheckResult, LintResult, Result, Severity, parse

__all__ = ["ShapewiseError", "advise", "buckets", "check", "lint"]

Path = str | os.PathLike[str]
# One path, or several: files, folders, or "-" for what `stdin` contains.
Paths = Path | Iterable[Path]
FailOn = Severity | Literal["never"]
Value = str | int | float | os.PathLike[str]
Option = Value | bool | Sequence[Value] | None

R = TypeVar("R", bound=Result)


class ShapewiseError(Exception):
    """The program could not do its work; the text is its message."""

    def __init__(self, message: str, status: int, partial: Result | None = None) -> None:
        super().__init__(message)
        self.status = status  # exit status of the program; negative: the signal that ended it
        self.partial = partial  # the result without the inputs that could not be read, if any


def lint(
    paths: Paths,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    steps: bool = False,
    events: bool = False,
    baseline: Path | None = None,
    expect_output: bool = False,
    fail_on: FailOn | None = None,
    stdin: str | bytes | None = None,
    options: Sequence[str] = (),
) -> LintResult:
    """Find recompilations, graph breaks and their causes in logs of a run.

    `events` puts every event into `raw`; `steps` also reads step times that the program prints.
    `options` are further options of the command line. ShapewiseError: an input cannot be read, or
    an argument is wrong.
    """
    named: dict[str, Option] = {
        "select": select,
        "ignore": ignore,
        "steps": steps,
        "events": events,
        "baseline": baseline,
        "expect-output": expect_output,
        "fail-on": fail_on,
    }
    return _run("lint", LintResult, paths, named, options, stdin)


def check(
    paths: Paths = ".",
    *,
    mode: Literal["train", "eval", "both"] | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    entries: Sequence[str] = (),
    exclude: Sequence[str] = (),
    diff: str | None = None,
    baseline: Path | None = None,
    fail_on: FailOn | None = None,
    stdin: str | bytes | None = None,
    options: Sequence[str] = (),
) -> CheckResult:
    """Find code that breaks graphs or recompiles, without running it.

    `diff` is a commit: only findings introduced since then are returned. `options` are further
    options of the command line. ShapewiseError: an input cannot be read, or an argument is wrong.
    """
    named: dict[str, Option] = {
        "mode": mode,
        "select": select,
        "ignore": ignore,
        "entry": entries,
        "exclude": exclude,
        "diff": diff,
        "baseline": baseline,
        "fail-on": fail_on,
    }
    return _run("check", CheckResult, paths, named, options, stdin)


def advise(
    paths: Paths,
    *,
    calls: Paths = (),
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    expect_output: bool = False,
    fail_on: FailOn | None = None,
    stdin: str | bytes | None = None,
    options: Sequence[str] = (),
) -> Advice:
    """List what to do about a run, and what each action would save; nothing is run.

    `calls` are recorded calls of the run. `options` are further options of the command line.
    ShapewiseError: an input cannot be read, or an argument is wrong.
    """
    named: dict[str, Option] = {
        "calls": _paths(calls),
        "select": select,
        "ignore": ignore,
        "expect-output": expect_output,
        "fail-on": fail_on,
    }
    return _run("advise", Advice, paths, named, options, stdin)


def buckets(
    paths: Paths,
    *,
    columns: Sequence[str | int] = (),
    count_column: str | None = None,
    sources: Sequence[str] = (),
    function: str | None = None,
    buckets: int | None = None,
    max_buckets: int | None = None,
    align: int | Sequence[int] = (),
    min: int | Sequence[int] = (),
    max: int | Sequence[int] = (),
    compare: Sequence[str] = (),
    cost: Path | None = None,
    cost_model: str | None = None,
    compile_seconds: float | None = None,
    steps: int | None = None,
    fail_on: FailOn | None = None,
    stdin: str | bytes | None = None,
    options: Sequence[str] = (),
) -> Buckets:
    """Find the sizes to pad to, and how many, from the sizes of calls.

    Arguments are those of the command line; `options` are further ones. ShapewiseError: an input
    cannot be read, or an argument is wrong.
    """
    named: dict[str, Option] = {
        "column": columns,
        "count-column": count_column,
        "source": sources,
        "function": function,
        "buckets": buckets,
        "max-buckets": max_buckets,
        "align": align,
        "min": min,
        "max": max,
        "compare": compare,
        "cost": cost,
        "cost-model": cost_model,
        "compile-seconds": compile_seconds,
        "steps": steps,
        "fail-on": fail_on,
    }
    return _run("buckets", Buckets, paths, named, options, stdin)


def _paths(paths: Paths) -> list[str]:
    """One path or several as a list."""
    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def _words(named: Mapping[str, Option]) -> list[str]:
    """The options as words of a command line; a value may begin with a dash."""
    words = []
    for name, value in named.items():
        if value is None or value is False:
            continue
        if value is True:
            words.append(f"--{name}")
            continue
        if isinstance(value, (str, int, float, os.PathLike)):
            value = [value]
        words += [f"--{name}={os.fspath(v) if isinstance(v, os.PathLike) else v}" for v in value]
    return words


def _run(
    command: str,
    cls: type[R],
    paths: Paths,
    named: Mapping[str, Option],
    options: Sequence[str],
    stdin: str | bytes | None,
) -> R:
    """The result of the program, as an object of `cls`."""
    program = find_program()
    if program is None:
        raise ShapewiseError(no_program_text(), TROUBLE)
    words = [str(program), command, *_words(named), *options, "--format=json", "--", *_paths(paths)]
    given = stdin.encode("utf-8", "surrogateescape") if isinstance(stdin, str) else stdin
    try:
        done = subprocess.run(words, input=given, capture_output=True, check=False)
    except OSError as error:
        raise ShapewiseError(f"{program}: {error.strerror}", TROUBLE) from error
    messages = tuple(done.stderr.decode("utf-8", "replace").splitlines())
    result = _result(cls, done.stdout, done.returncode, messages)
    if done.returncode in (0, 1) and result is not None:
        return result
    errors = [line.removeprefix("shapewise: error: ") for line in messages if "error: " in line]
    ended = f"{program} ended with status {done.returncode} and printed no result that is known"
    raise ShapewiseError("\n".join(errors or messages) or ended, done.returncode, result)


def _result(cls: type[R], text: bytes, status: int, messages: tuple[str, ...]) -> R | None:
    """What the program printed; None: no such result."""
    try:
        data: dict[str, Any] = json.loads(text)
        return parse(cls, data, status=status, messages=messages)
    except (ValueError, KeyError, TypeError):
        return None
