"""The steps of a job: read a part, merge partials, report. Each may run on any machine."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import FleetError
from .jobs import Part, fetch
from .program import find_program, run_program
from .record import JobRecord, JobResult, job_result

__all__ = ["Partial", "Settings", "job_token", "merge_parts", "read_part", "report_job"]

TROUBLE = 2  # the exit status of a command that failed, completely or in part


@dataclass(frozen=True)
class Settings:
    """How to read jobs."""

    program: str | None = None  # None: found where the step runs
    steps: bool = False  # also the step times that programs print themselves
    redact_key: str | None = None
    timeout: float | None = None  # seconds for one step


@dataclass(frozen=True)
class Partial:
    """The data of a job so far."""

    content: bytes | None  # a partial's file; None: nothing could be read
    problems: tuple[str, ...] = ()


def job_token(key: str, name: str) -> str:
    """The name of a job in redacted results."""
    digest = hmac.new(key.encode(), name.encode("utf-8", "surrogateescape"), hashlib.sha256)
    return "job" + digest.hexdigest()[:10]


def read_part(settings: Settings, part: Part) -> Partial:
    """Reads the files of `part` separately from other parts."""
    try:
        with tempfile.TemporaryDirectory(prefix="shapewise-") as made:
            return _read(settings, part, Path(made))
    except (OSError, subprocess.TimeoutExpired, FleetError) as error:
        return Partial(None, (_problem(error),))
    except Exception as error:
        # Other file systems may raise anything.
        if not part.is_remote:
            raise
        return Partial(None, (f"cannot be copied: {type(error).__name__}: {error}",))


def _read(settings: Settings, part: Part, folder: Path) -> Partial:
    # The program runs in a folder without settings and sees the job by its own name, so neither
    # its place nor its neighbors have an influence.
    name = part.root.rstrip("/").rpartition("/")[2] or "job"
    if part.is_remote:
        fetch(part, folder / "inputs" / name)
    else:
        (folder / "inputs").mkdir()
        (folder / "inputs" / name).symlink_to(part.root, target_is_directory=True)
    command = [find_program(settings.program), "lint", "--exit-zero", "--expect-output"]
    command += ["--partial", "../partial"]
    if settings.steps:
        command.append("--steps")
    if settings.redact_key is not None:
        (folder / "key").write_text(settings.redact_key, encoding="utf-8")
        command += ["--redact", "--redact-key", "@../key"]
    shown = f"./{name}" if name.startswith("-") else name
    command += [f"{shown}/{file}" for file in part.files]
    status, _, errors = run_program(command, folder / "inputs", settings.timeout)
    content = _content(folder / "partial")
    return Partial(content, _problems(status, errors, content is not None))


def merge_parts(settings: Settings, *partials: Partial) -> Partial:
    """Merges partials into one, in the order of the inputs."""
    problems = tuple(problem for partial in partials for problem in partial.problems)
    contents = [partial.content for partial in partials if partial.content is not None]
    if len(contents) < 2:
        return Partial(contents[0] if contents else None, problems)
    try:
        with tempfile.TemporaryDirectory(prefix="shapewise-") as made:
            folder = Path(made)
            names = [f"{number}.partial" for number in range(len(contents))]
            for name, content in zip(names, contents, strict=True):
                (folder / name).write_bytes(content)
            command = [find_program(settings.program), "merge", "-o", "merged", *names]
            status, _, errors = run_program(command, folder, settings.timeout)
            merged = _content(folder / "merged")
    except (OSError, subprocess.TimeoutExpired, FleetError) as error:
        return Partial(None, (*problems, _problem(error)))
    # Gaps of an input were reported when it was read.
    more = () if merged is not None else _problems(status, errors, False)
    return Partial(merged, (*problems, *more))


def report_job(settings: Settings, name: str, partial: Partial) -> JobRecord:
    """The record of a job from `lint`."""
    problems = partial.problems
    found: JobResult | None = None
    if partial.content is not None:
        try:
            result, more = _lint(settings, partial.content)
            # An input without recognized lines was reported when it was read.
            problems += tuple(each for each in more if each not in problems)
            found = job_result(result) if result is not None else None
        except (OSError, ValueError, subprocess.TimeoutExpired, FleetError) as error:
            problems += (_problem(error),)
    if found is None and not problems:
        problems = ("nothing could be read of it",)
    return JobRecord(name, found, problems)


def _lint(settings: Settings, content: bytes) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    with tempfile.TemporaryDirectory(prefix="shapewise-") as made:
        (Path(made) / "job.partial").write_bytes(content)
        command = [find_program(settings.program), "lint", "--exit-zero", "--expect-output"]
        command += ["--format", "json", "job.partial"]
        status, output, errors = run_program(command, Path(made), settings.timeout)
    # An incomplete input was reported when it was read; so here status 2
    # means that the result is missing or incomplete.
    result = json.loads(output) if output else None
    return result, _problems(status, errors, False) if result is None else ()


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None


def _problems(status: int, errors: tuple[str, ...], is_made: bool) -> tuple[str, ...]:
    if status != TROUBLE and (status in (0, 1) or is_made):
        return ()
    if status < 0:
        return (f"shapewise was ended by signal {-status}", *errors)
    return errors or (f"shapewise ended with status {status}",)


def _problem(error: Exception) -> str:
    if isinstance(error, subprocess.TimeoutExpired):
        return f"shapewise did not end within {error.timeout:g} seconds"
    if isinstance(error, OSError):
        return f"{os.strerror(error.errno) if error.errno else error}"
    return str(error)
