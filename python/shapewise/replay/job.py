"""The job: what to run, over which calls, under which policies (shapewise.replay-job/1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .errors import ReplayError
from .json_reading import Members
from .policy import Policy, policy_of_json
from .policy_text import parse_policy

__all__ = ["Job", "NamedPolicy", "Subject", "VariedDim", "job_of_json"]

SCHEMA = "shapewise.replay-job/1"
KINDS = ("callable", "graph", "pt2")
MOST_REPETITIONS = 100


@dataclass(frozen=True)
class Subject:
    """What is compiled and called."""

    kind: str  # one of KINDS
    spec: str = ""  # callable: "train.py:step" or "package.module:name"
    path: str = ""  # graph, pt2: a file
    inputs: tuple[dict[str, Any], ...] = ()  # graph: its placeholders, as in shapewise.program/1
    factory: bool | None = None  # callable: call it to get what is compiled; None: find out
    make_inputs: str = ""  # "file.py:function", which makes the inputs of a call
    function: str = ""  # whose calls; "": those of the function that was called most
    ranges: dict[str, tuple[float, float]] = field(default_factory=dict)  # [low, high) by input


@dataclass(frozen=True)
class NamedPolicy:
    """A policy of a job."""

    name: str
    policy: Policy
    given: Any  # as it stood in the job
    predicted: Any = None  # what was predicted of it; goes into the answer as it is


@dataclass(frozen=True)
class VariedDim:
    """A dim of an input whose size is varied to measure costs."""

    source: str
    dim: int


@dataclass(frozen=True)
class Job:
    """What to run, and how."""

    subject: Subject
    calls: Path
    policies: tuple[NamedPolicy, ...]
    varied: tuple[VariedDim, ...] = ()  # all have one size; what costs are measured by
    device: str = ""  # "": that of the calls, where it is there
    seed: int = 0
    threads: int | None = None  # None: as torch has it
    repetitions: int = 3  # processes of each policy
    cold_repetitions: int | None = None  # so many first ones have cold caches; None: all
    compile_jobs: int = 1  # so many of the first processes compile at once
    passes: int = 3  # timed passes of each process
    warm_calls: int = 512  # at most so many calls in a pass
    compared_calls: int = 64  # at most so many distinct calls are compared with eager
    backward: bool = False
    tolerance: float | None = None  # relative; None: by dtype
    horizon: int | None = None  # steps of the real run: what compiling costs is spread over them
    timeout_seconds: float = 1800
    seconds: float | None = None  # after this time no process is started, and what runs is ended
    script: str = ""


def job_of_json(value: Any) -> Job:
    """A job, checked. Raises ReplayError: what is wrong, and where."""
    known = (
        *("schema", "tool", "subject", "calls", "policies", "device", "seed", "threads"),
        *("repetitions", "passes", "warm_calls", "compared_calls", "backward", "tolerance"),
        *("horizon", "timeout_seconds", "script", "varied", "cold_repetitions"),
        *("compile_jobs", "seconds"),
    )
    members = Members(value, "job", known)
    schema = members.text("schema", SCHEMA)
    if schema != SCHEMA:
        raise ReplayError(f"job.schema: '{schema}' is not '{SCHEMA}'")
    policies = tuple(
        _policy(item, f"job.policies[{i}]") for i, item in enumerate(members.items("policies"))
    )
    varied = tuple(
        _varied(item, f"job.varied[{i}]") for i, item in enumerate(members.items("varied"))
    )
    if not policies and not varied:
        raise ReplayError("job.policies: expected at least one policy")
    names = [policy.name for policy in policies]
    for name in names:
        if names.count(name) > 1:
            raise ReplayError(f"job.policies: two are named '{name}'")
    repetitions = members.integer("repetitions", Job.repetitions, least=1)
    if repetitions > MOST_REPETITIONS:
        raise ReplayError(f"job.repetitions: {repetitions} is above {MOST_REPETITIONS}")
    cold = members.optional_integer("cold_repetitions")
    if cold is not None and cold < 1:
        raise ReplayError(f"job.cold_repetitions: {cold} is below 1")
    threads = members.optional_integer("threads")
    if threads is not None and threads < 1:
        raise ReplayError(f"job.threads: {threads} is below 1")
    return Job(
        subject=_subject(members.any("subject"), "job.subject"),
        calls=Path(members.required_text("calls")),
        policies=policies,
        varied=varied,
        device=members.text("device"),
        seed=members.integer("seed", Job.seed),
        threads=threads,
        repetitions=repetitions,
        cold_repetitions=cold,
        compile_jobs=members.integer("compile_jobs", Job.compile_jobs, least=1),
        passes=members.integer("passes", Job.passes, least=1),
        warm_calls=members.integer("warm_calls", Job.warm_calls, least=1),
        compared_calls=members.integer("compared_calls", Job.compared_calls),
        backward=members.flag("backward"),
        tolerance=members.optional_number("tolerance"),
        horizon=members.optional_integer("horizon"),
        timeout_seconds=members.optional_number("timeout_seconds") or Job.timeout_seconds,
        seconds=members.optional_number("seconds"),
        script=members.text("script"),
    )


def _policy(value: Any, place: str) -> NamedPolicy:
    members = Members(value, place, ("name", "policy", "predicted"))
    name = members.required_text("name")
    given = members.any("policy")
    if isinstance(given, str):
        policy = parse_policy(given)
    else:
        policy = policy_of_json({} if given is None else given, f"{place}.policy")
    return NamedPolicy(name, policy, given, members.any("predicted"))


def _varied(value: Any, place: str) -> VariedDim:
    members = Members(value, place, ("arg", "dim"))
    source = members.required_text("arg")
    if members.any("dim") is None:
        raise ReplayError(f"{members.at('dim')}: it is missing")
    return VariedDim(source, members.integer("dim", 0))


def _subject(value: Any, place: str) -> Subject:
    known = ("kind", "spec", "path", "trust", "inputs", "factory", "make_inputs", "function")
    members = Members(value, place, (*known, "ranges"))
    kind = members.required_text("kind")
    if kind not in KINDS:
        raise ReplayError(f"{place}.kind: unknown kind '{kind}'; expected {', '.join(KINDS)}")
    spec = members.required_text("spec") if kind == "callable" else ""
    path = members.required_text("path") if kind != "callable" else ""
    # A graph is executed as Python, and the pickles of an exported program can execute code.
    if kind != "callable" and not members.flag("trust"):
        raise ReplayError(
            f"{members.at('trust')}: {path} can execute any code; set it to true to run the file"
        )
    for name in ("spec", "make_inputs"):
        text = members.text(name)
        if text and not all(text.rpartition(":")[::2]):
            raise ReplayError(f"{members.at(name)}: expected FILE.py:NAME, not '{text}'")
    inputs = members.items("inputs")
    for i, item in enumerate(inputs):
        Members(item, f"{place}.inputs[{i}]", ("name", "kind", "source", "type"))
    return Subject(
        kind=kind,
        spec=spec,
        path=path,
        inputs=tuple(inputs),
        factory=members.optional_flag("factory"),
        make_inputs=members.text("make_inputs"),
        function=members.text("function"),
        ranges={name: _range(bounds, name) for name, bounds in members.mapping("ranges").items()},
    )


def _range(value: Any, name: str) -> tuple[float, float]:
    is_pair = isinstance(value, list) and len(value) == 2
    if not is_pair or not all(isinstance(bound, int | float) for bound in value):
        raise ReplayError(f"job.subject.ranges.{name}: expected two numbers, [low, high)")
    if not value[0] < value[1]:
        raise ReplayError(f"job.subject.ranges.{name}: it is empty")
    return value[0], value[1]
