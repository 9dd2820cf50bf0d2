"""What one run of `shapewise tune` does to the program. Needs no torch."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..replay.errors import ReplayError
from ..replay.policy import Policy
from ..replay.policy_text import parse_policy

__all__ = ["Action", "Job", "read_job"]


@dataclass(frozen=True)
class Action:
    """A policy, for the calls of one function or of all."""

    policy: Policy
    arguments: dict[str, Any]  # of torch.compile
    function: str  # as the recorder names it; empty: every function


@dataclass(frozen=True)
class Job:
    """One run."""

    results: Path  # the folder in which each process writes its figures
    actions: tuple[Action, ...]
    backend: str  # replaces that of torch.compile; empty: it is kept
    steps: int  # the process ends at the call after so many
    seconds: float  # or at the first call so many seconds after the first one
    patches: dict[str, str]  # path of a source file -> text that runs in its place
    parent: int  # the process of `shapewise tune`


def read_job(path: Path) -> Job:
    """Reads a job file. Raises ReplayError for a policy that this code does not know."""
    given = json.loads(path.read_text(encoding="utf-8"))
    return Job(
        results=Path(given["results"]),
        actions=tuple(_action(action["policy"], action["function"]) for action in given["actions"]),
        backend=given["backend"],
        steps=given["steps"],
        seconds=given["seconds"],
        patches=given["patches"],
        parent=given["parent"],
    )


def _action(words: str, function: str) -> Action:
    policy = parse_policy(words)
    if policy.serving or policy.shapes:
        raise ReplayError(f"'{words}' pads in a way that is not injected into programs")
    arguments = policy.compile_arguments()
    if re.search(r"\bdynamic\s*=\s*None", words):  # a default, which removes dynamic=False
        arguments["dynamic"] = None
    return Action(policy, arguments, function)
