"""From paths to the table of a fleet."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from .engines import Engine, LocalEngine, LostStepError, RayEngine
from .errors import FleetError
from .jobs import PART_BYTES, PART_FILES, Job, find_jobs
from .owners import Owners
from .record import JobRecord
from .table import Fleet, fold
from .work import Settings, job_token, merge_parts, read_part, report_job

__all__ = ["analyze"]

MERGED_AT_ONCE = 8
JOBS_UNDER_WAY = 256


def analyze(
    paths: Iterable[str],
    *,
    engine: str | Engine = "local",
    workers: int | None = None,
    address: str | None = None,
    program: str | None = None,
    owners: str | None = None,
    steps: bool = False,
    redact_key: str | None = None,
    timeout: float | None = None,
    part_files: int = PART_FILES,
    part_bytes: int = PART_BYTES,
) -> Fleet:
    """Reads the jobs in `paths` and adds up their results.

    `engine`: "local", "ray", or an engine; `workers`: of "local"; `address`: of a Ray cluster, else
    the one that this process is connected to, else one of its own. `owners`: a CODEOWNERS file.
    `redact_key`: names become tokens made with it. `timeout`: seconds for one step of one job.

    What fails in a job is a row of the table. Raises FleetError if no result is possible.
    """
    if owners is not None and redact_key is not None:
        raise FleetError("owners need paths, which redaction removes: leave out one of the two")
    # Errors that concern all jobs come before any work.
    known = Owners.of_file(owners) if owners is not None else None
    jobs = find_jobs(paths, part_files, part_bytes)
    if not jobs:
        raise FleetError("no jobs to read")
    settings = Settings(program, steps, redact_key, timeout)
    runner, is_own = _engine(engine, workers, address), isinstance(engine, str)
    try:
        records = [_named(record, redact_key) for record in _run(jobs, settings, runner)]
    finally:
        if is_own:
            runner.close()
    return fold(records, known)


def _engine(engine: str | Engine, workers: int | None, address: str | None) -> Engine:
    if not isinstance(engine, str):
        return engine
    if engine == "local":
        return LocalEngine(workers)
    if engine == "ray":
        return RayEngine(address)
    raise FleetError(f"no engine is called {engine!r}; there are local and ray")


def _run(jobs: Sequence[Job], settings: Settings, engine: Engine) -> Iterator[JobRecord]:
    """The records of jobs, in order; at most JOBS_UNDER_WAY run at a time."""
    waiting: deque[tuple[Job, Any]] = deque()
    for job in jobs:
        if not job.parts:
            yield JobRecord(job.name, None, (job.problem,))
            continue
        if len(waiting) >= JOBS_UNDER_WAY:
            yield _record(*waiting.popleft(), engine)
        waiting.append((job, _begin(job, settings, engine)))
    while waiting:
        yield _record(*waiting.popleft(), engine)


def _begin(job: Job, settings: Settings, engine: Engine) -> Any:
    """Read the parts of a job, merge them in a tree, and return the handle of its record."""
    partials = [engine.submit(read_part, settings, part) for part in job.parts]
    while len(partials) > 1:
        groups = (partials[i : i + MERGED_AT_ONCE] for i in range(0, len(partials), MERGED_AT_ONCE))
        partials = [engine.submit(merge_parts, settings, *group) for group in groups]
    return engine.submit(report_job, settings, job.name, partials[0])


def _record(job: Job, handle: Any, engine: Engine) -> JobRecord:
    try:
        record: JobRecord = engine.result(handle)
    except LostStepError as error:
        return JobRecord(job.name, None, (str(error),))
    return record


def _named(record: JobRecord, redact_key: str | None) -> JobRecord:
    if redact_key is None:
        return record
    # A problem may name or quote files, so only its existence is reported.
    problems = ("something could not be read",) if record.problems else ()
    return JobRecord(job_token(redact_key, record.job), record.result, problems)
