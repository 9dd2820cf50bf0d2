"""Results of the program as typed objects; `shapewise schema` describes their JSON.

Each object keeps what the program printed for it in `raw`, with members that have no field here.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

__all__ = [
    "Action",
    "Advice",
    "Buckets",
    "CheckResult",
    "CodeFault",
    "CodeFinding",
    "CodePlace",
    "Culprit",
    "Edit",
    "Finding",
    "Fix",
    "Holdout",
    "LintResult",
    "NextStep",
    "Padding",
    "Place",
    "Plan",
    "RankedAction",
    "Recommendation",
    "Result",
    "Run",
    "RunSummary",
    "Saving",
    "Severity",
    "Sizes",
    "Target",
]

Severity = Literal["note", "warning", "error"]
# A size of one dim, or one of each of several dims.
Sizes = int | tuple[int, ...]

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """What the program printed for an object."""

    raw: Mapping[str, Any] = field(repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class Result(Parsed):
    """What all results have."""

    status: int  # exit status of the program: 0 nothing serious, 1 something at or above fail_on
    messages: tuple[str, ...]  # what the program printed on standard error


@dataclass(frozen=True, kw_only=True)
class Place(Parsed):
    """A place in code; None where the input does not state it."""

    function: str | None
    file: str | None
    line: int | None


@dataclass(frozen=True, kw_only=True)
class Target(Place):
    """What an action changes."""

    source: str | None  # the variable
    dim: int | None


@dataclass(frozen=True, kw_only=True)
class Culprit(Parsed):
    """What varied."""

    guard_class: str = field(metadata={"key": "class"})
    source: str | None
    dim: int | None
    value_type: str | None = None


@dataclass(frozen=True, kw_only=True)
class NextStep(Parsed):
    """How to get information that the input lacks."""

    text: str
    code: str | None


@dataclass(frozen=True, kw_only=True)
class Saving(Parsed):
    """Predicted savings; nothing was run."""

    compiles: int | None
    seconds: float | None  # of compile time


@dataclass(frozen=True, kw_only=True)
class Action(Parsed):
    """Something to do."""

    kind: str  # "mark_dynamic", "fix_break" ...
    target: Target
    text: str
    code: str | None  # text to paste
    trap: str | None  # what can go wrong
    saves: Saving | None
    confidence: float  # 0 to 1
    torch: str | None  # releases it is for: ">=2.1"


@dataclass(frozen=True, kw_only=True)
class RankedAction(Action):
    """An action for a run as a whole."""

    rule: str | None  # of the finding that it addresses
    paste: str | None  # where `code` goes: "environment", "config" ...
    policy: str | None  # the change, as `predict --policy` reads it
    in_plan: bool


@dataclass(frozen=True, kw_only=True)
class Finding(Parsed):
    """A cause in a run."""

    rule: str
    name: str
    severity: Severity
    message: str
    where: Place  # the compiled function
    user: Place  # the line of code that triggers it
    cause: Culprit | None
    values: tuple[str, ...]  # of the culprit, in order, at most 32
    pattern: str | None  # how the values change: "counter", "growing" ...
    count: int
    cost_seconds: float | None
    ranks: tuple[int, ...]
    advice: tuple[Action, ...]  # best first
    next_steps: tuple[NextStep, ...]
    runs_eager: bool  # the function is no longer compiled
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class RunSummary(Parsed):
    """Totals of a run; None where the input does not state them."""

    recompiles: int
    recompile_limit_hits: int
    graph_breaks: int
    graph_break_sites: int
    skipped_frames: int
    compiles: int
    compile_seconds: float | None
    eager_functions: tuple[Place, ...]  # they run uncompiled since they hit a limit
    ranks: tuple[int, ...]
    lines: int
    damaged: int
    unknown_lines: int


@dataclass(frozen=True, kw_only=True)
class LintResult(Result):
    """The result of `lint`."""

    summary: RunSummary
    findings: tuple[Finding, ...]  # worst first
    gaps: tuple[str, ...]  # what the input lacks


@dataclass(frozen=True, kw_only=True)
class Edit(Parsed):
    """A replacement of text. Columns count characters; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


@dataclass(frozen=True, kw_only=True)
class Fix(Parsed):
    """A change that fixes a finding."""

    safe: bool  # it preserves the meaning of the code
    title: str
    edits: tuple[Edit, ...]  # ascending, without overlap


@dataclass(frozen=True, kw_only=True)
class CodePlace(Parsed):
    """A range of a file. In a notebook, lines are those of the cell."""

    file: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    cell: int | None = None


@dataclass(frozen=True, kw_only=True)
class CodeFinding(CodePlace):
    """A finding in code."""

    rule: str
    name: str
    severity: Severity
    confidence: float  # 0 to 1
    function: str | None
    message: str
    advice: str | None
    breaks: tuple[str, ...]  # ids in PyTorch's registry of graph breaks
    raises: bool  # the break is an error, because of fullgraph=True
    conditions: tuple[str, ...]  # when the code runs: "training" ...
    count: int  # places of the same sort
    fix: Fix | None
    fingerprint: str


@dataclass(frozen=True, kw_only=True)
class CodeFault(CodePlace):
    """Code that cannot be read, such as a syntax error."""

    message: str


@dataclass(frozen=True, kw_only=True)
class CheckResult(Result):
    """The result of `check`."""

    findings: tuple[CodeFinding, ...]  # by file, place and rule
    faults: tuple[CodeFault, ...]
    unread: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Run(Parsed):
    """A run without any change."""

    compiles: int
    seconds: float | None


@dataclass(frozen=True, kw_only=True)
class Plan(Parsed):
    """Actions to follow together."""

    actions: tuple[int, ...]  # indices of `Advice.actions`
    predicted: Saving | None


@dataclass(frozen=True, kw_only=True)
class Advice(Result):
    """The result of `advise`."""

    run: Run
    actions: tuple[RankedAction, ...]  # best first
    plan: Plan
    next_steps: tuple[NextStep, ...]
    gaps: tuple[str, ...]  # what the input lacks


@dataclass(frozen=True, kw_only=True)
class Padding(Parsed):
    """Padded minus real elements, divided by real ones."""

    train: float | None
    holdout: float | None  # of later calls


@dataclass(frozen=True, kw_only=True)
class Recommendation(Parsed):
    """How to run all sizes."""

    mode: Literal["buckets", "dynamic", "static", "mixed"]
    why: str | None


@dataclass(frozen=True, kw_only=True)
class Holdout(Parsed):
    """A plan of the earlier calls, measured on the later ones."""

    held_calls: int
    padding: float | None
    best_padding: float | None
    out_of_range: int


@dataclass(frozen=True, kw_only=True)
class Buckets(Result):
    """The result of `buckets`."""

    columns: tuple[str, ...]  # names of the dims
    boundaries: tuple[Sizes, ...]  # the plan, ascending
    padding: Padding
    cost_overhead: float | None  # cost over the cost without padding, minus 1
    recommend: Recommendation
    warm_up: tuple[Sizes, ...]  # the plan in the order in which to compile
    recompile_limit: int  # to set
    validation: Holdout | None
    snippets: Mapping[str, str]  # the plan as text to paste, by consumer
    assumptions: tuple[str, ...]
    gaps: tuple[str, ...]


def parse(cls: type[T], data: Mapping[str, Any], **known: Any) -> T:
    """The object of the dataclass `cls` that `data` describes; `known` are fields from elsewhere.

    KeyError, TypeError: `data` is not such an object.
    """
    hints = get_type_hints(cls)
    values: dict[str, Any] = {"raw": data, **known}
    for each in fields(cls):  # type: ignore[arg-type]
        key = each.metadata.get("key", each.name)
        if each.name not in values and key in data:
            values[each.name] = _value(hints[each.name], data[key])
    return cls(**values)


def _value(kind: Any, data: Any) -> Any:
    """`data` as `kind`: a dataclass, a tuple of a kind, one of several kinds, or as it is."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        kinds = [each for each in get_args(kind) if each is not type(None)]
        is_list = isinstance(data, list)
        fitting = [each for each in kinds if (get_origin(each) is tuple) == is_list]
        return None if data is None else _value(fitting[0] if fitting else kinds[0], data)
    if origin is tuple:
        return tuple(_value(get_args(kind)[0], each) for each in data)
    if is_dataclass(kind) and isinstance(kind, type):
        return parse(kind, data)
    return data
