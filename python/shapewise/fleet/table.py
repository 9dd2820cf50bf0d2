"""The table of a fleet: results of jobs, added up. Counts and whole microseconds, so that neither
the order of jobs nor how they were grouped makes a difference.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from shapewise import VERSION

from .owners import Owners
from .record import SEVERITIES, CauseSeen, JobRecord

__all__ = ["CauseRow", "FailureRow", "Fleet", "JobRow", "OwnerRow", "fold"]

EXAMPLE_JOBS = 8
# Their seconds are those of compilations, which other causes have.
COINCIDING = ("slow-compiling-step", "slow-recompiling-step")


@dataclass(frozen=True)
class CauseRow:
    """A cause in all jobs that have it."""

    rule: str
    name: str
    severity: str
    kind: str
    fingerprint: str
    message: str
    function: str | None
    file: str | None
    line: int | None
    places: int
    jobs: int
    example_jobs: tuple[str, ...]
    ranks: int | None
    events: int
    gpu_seconds: float | None
    owners: tuple[str, ...]


@dataclass(frozen=True)
class OwnerRow:
    """The causes in the code of one owner."""

    owner: str
    causes: int
    jobs: int
    events: int
    gpu_seconds: float | None


@dataclass(frozen=True)
class JobRow:
    """One job."""

    job: str
    status: str  # "complete", "incomplete" or "failed"
    inputs: int
    lines: int
    ranks: int | None
    compiles: int
    compile_seconds: float | None
    lost_gpu_seconds: float | None
    causes: int


@dataclass(frozen=True)
class FailureRow:
    """A failure in a job."""

    job: str
    message: str


@dataclass(frozen=True)
class Fleet:
    """The combined results of all jobs."""

    causes: tuple[CauseRow, ...] = ()
    owners: tuple[OwnerRow, ...] = ()
    jobs: tuple[JobRow, ...] = ()
    failures: tuple[FailureRow, ...] = ()
    summary: dict[str, Any] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """The table as `shapewise.fleet/1`."""
        return {
            "schema": "shapewise.fleet/1",
            "tool": {"name": "shapewise", "version": VERSION},
            "summary": self.summary,
            **{
                name: [_members(row) for row in getattr(self, name)]
                for name in ("causes", "owners", "jobs", "failures")
            },
        }

    def json(self) -> str:
        """The document as text, with one row per line."""
        from .writers import json_text

        return json_text(self.document())

    def text(self, every: bool = False) -> str:
        """The table as text; `every`: all rows."""
        from .writers import plain_text

        return plain_text(self, every)

    def write_parquet(self, path: str) -> None:
        """Writes causes and failures. Raises FleetError if pyarrow is not installed."""
        from .writers import write_parquet

        write_parquet(self, path)


def _members(row: Any) -> dict[str, Any]:
    # Not dataclasses.asdict, which copies tuples as tuples; JSON has lists.
    members = vars(row)
    return {name: list(each) if isinstance(each, tuple) else each for name, each in members.items()}


class _Sum:
    """Sums of numbers, some of which are unknown."""

    def __init__(self) -> None:
        self.total: int | None = None

    def add(self, number: int | None) -> None:
        """Add a number; unknown numbers add nothing."""
        if number is not None:
            self.total = (self.total or 0) + number

    def seconds(self) -> float | None:
        """Seconds of microseconds."""
        return None if self.total is None else self.total / 1_000_000


class _Cause:
    """One cause while it is added up."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, CauseSeen]] = []

    def row(self, owners: Owners) -> CauseRow:
        micros, ranks = _Sum(), _Sum()
        places: dict[tuple[str, str, int], set[str]] = defaultdict(set)
        jobs: Counter[str] = Counter()
        for job, cause in self.seen:
            micros.add(cause.micros)
            jobs[job] += cause.events
            places[cause.function or "", cause.file or "", cause.line or 0].add(job)
        for _, hit in sorted(_ranks_by_job(self.seen).items()):
            ranks.add(len(hit) or None)
        function, file, line = min(places, key=lambda place: (-len(places[place]), place))
        order = sorted(jobs, key=lambda job: (-jobs[job], job))
        first = min(self.seen, key=lambda each: (-each[1].events, each[0], each[1].message))[1]
        return CauseRow(
            rule=first.rule,
            name=first.name,
            severity=max((cause.severity for _, cause in self.seen), key=SEVERITIES.index),
            kind=first.kind,
            fingerprint=first.fingerprint,
            message=first.message,
            function=function or None,
            file=file or None,
            line=line or None,
            places=len(places),
            jobs=len(jobs),
            example_jobs=tuple(order[:EXAMPLE_JOBS]),
            ranks=ranks.total,
            events=jobs.total(),
            gpu_seconds=micros.seconds(),
            owners=owners.of(file or None),
        )


def _ranks_by_job(seen: Iterable[tuple[str, CauseSeen]]) -> dict[str, set[int]]:
    ranks: dict[str, set[int]] = defaultdict(set)
    for job, cause in seen:
        ranks[job].update(cause.ranks)
    return ranks


def fold(records: Iterable[JobRecord], owners: Owners | None = None) -> Fleet:
    """The table of all jobs, in any order."""
    records = sorted(records, key=lambda record: record.job)
    causes: dict[tuple[str, str], _Cause] = defaultdict(_Cause)
    for record in records:
        for cause in record.result.causes if record.result else ():
            causes[cause.fingerprint, cause.rule].seen.append((record.job, cause))
    known = owners or Owners(())
    rows = sorted((cause.row(known) for cause in causes.values()), key=_rank)
    jobs = tuple(_job_row(record) for record in records)
    failures = tuple(
        FailureRow(record.job, problem) for record in records for problem in record.problems
    )
    return Fleet(
        causes=tuple(rows),
        owners=_owner_rows(rows, causes),
        jobs=jobs,
        failures=failures,
        summary=_summary(jobs, len(rows)),
    )


def _rank(row: CauseRow) -> tuple[Any, ...]:
    return (-(row.gpu_seconds or 0), -row.jobs, -row.events, row.rule, row.fingerprint)


def _lost_micros(record: JobRecord) -> int | None:
    lost = _Sum()
    for cause in record.result.causes if record.result else ():
        if cause.name not in COINCIDING:
            lost.add(cause.micros)
    return lost.total


def _job_row(record: JobRecord) -> JobRow:
    found = record.result
    if found is None:
        return JobRow(record.job, "failed", 0, 0, None, 0, None, None, 0)
    lost = _lost_micros(record)
    return JobRow(
        job=record.job,
        status="incomplete" if record.problems else "complete",
        inputs=found.inputs,
        lines=found.lines,
        ranks=len(found.ranks) or None,
        compiles=found.compiles,
        compile_seconds=None if found.compile_micros is None else found.compile_micros / 1_000_000,
        lost_gpu_seconds=None if lost is None else lost / 1_000_000,
        causes=len(found.causes),
    )


def _owner_rows(
    rows: Iterable[CauseRow], causes: dict[tuple[str, str], _Cause]
) -> tuple[OwnerRow, ...]:
    owned: dict[str, list[CauseRow]] = defaultdict(list)
    for row in rows:
        for owner in dict.fromkeys(row.owners):
            owned[owner].append(row)
    made = []
    for owner, theirs in owned.items():
        micros = _Sum()
        jobs: set[str] = set()
        for row in theirs:
            for job, cause in causes[row.fingerprint, row.rule].seen:
                micros.add(cause.micros)
                jobs.add(job)
        events = sum(row.events for row in theirs)
        made.append(OwnerRow(owner, len(theirs), len(jobs), events, micros.seconds()))
    return tuple(sorted(made, key=lambda row: (-(row.gpu_seconds or 0), -row.events, row.owner)))


def _summary(jobs: tuple[JobRow, ...], causes: int) -> dict[str, Any]:
    statuses = Counter(job.status for job in jobs)
    ranks, compiling, lost = _Sum(), _Sum(), _Sum()
    for job in jobs:
        ranks.add(job.ranks)
        for total, seconds in ((compiling, job.compile_seconds), (lost, job.lost_gpu_seconds)):
            total.add(None if seconds is None else round(seconds * 1_000_000))
    return {
        "jobs": len(jobs),
        "complete": statuses["complete"],
        "incomplete": statuses["incomplete"],
        "failed": statuses["failed"],
        "ranks": ranks.total,
        "compiles": sum(job.compiles for job in jobs),
        "causes": causes,
        "compile_gpu_hours": _hours(compiling),
        "lost_gpu_hours": _hours(lost),
    }


def _hours(micros: _Sum) -> float | None:
    return None if micros.total is None else round(micros.total / 3_600_000_000, 6)
