"""The part of a job's result that the table needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["CauseSeen", "JobRecord", "JobResult", "job_result"]

SEVERITIES = ("note", "warning", "error")


@dataclass(frozen=True)
class CauseSeen:
    """One finding of one job."""

    fingerprint: str
    rule: str
    name: str
    severity: str
    kind: str
    message: str
    function: str | None
    file: str | None
    line: int | None
    events: int
    micros: int | None  # of compiling, or by which steps were too slow, all ranks together
    ranks: tuple[int, ...]


@dataclass(frozen=True)
class JobResult:
    """The result of a job that was read, at least in part."""

    inputs: int
    lines: int
    ranks: tuple[int, ...]
    compiles: int
    compile_micros: int | None
    causes: tuple[CauseSeen, ...]


@dataclass(frozen=True)
class JobRecord:
    """A job, read or not."""

    job: str
    result: JobResult | None
    problems: tuple[str, ...] = ()


def job_result(result: dict[str, Any]) -> JobResult:
    """The result of a job from a `shapewise.lint/1`."""
    summary = result["summary"]
    return JobResult(
        inputs=len(result["inputs"]),
        lines=summary["lines"],
        ranks=tuple(summary["ranks"]),
        compiles=summary["compiles"],
        compile_micros=_micros(summary["compile_seconds"]),
        causes=tuple(_cause(finding) for finding in result["findings"]),
    )


def _cause(finding: dict[str, Any]) -> CauseSeen:
    where, user, identity = finding["where"], finding["user"], finding["identity"]
    place = user if user["file"] and user["line"] else where
    file = place["file"]
    # Comments of guards shorten paths on the left; the compiled function has the full path.
    if file and where["file"] and where["file"].endswith(file):
        file = where["file"]
    return CauseSeen(
        fingerprint=finding["fingerprint"],
        rule=finding["rule"],
        name=finding["name"],
        severity=finding["severity"],
        kind=identity["kind"],
        message=finding["message"],
        function=identity["function"] or place["function"],
        file=file,
        line=place["line"],
        events=finding["count"],
        micros=_micros(finding["cost_seconds"]),
        ranks=tuple(finding["ranks"]),
    )


def _micros(seconds: float | None) -> int | None:
    return None if seconds is None else round(seconds * 1_000_000)
