"""How much of a list of cases a test runs: all of it, or every so many cases where a run has to be short."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


def sampled(items: Sequence[Item]) -> Sequence[Item]:
    """Every SHAPEWISE_SAMPLE-th of `items`, from the first on; all where the environment says nothing."""
    return items[:: int(os.environ.get("SHAPEWISE_SAMPLE", "1"))]


def is_whole() -> bool:
    """Whether nothing is left out, so that shares and counts of the whole list can be held to their bounds."""
    return os.environ.get("SHAPEWISE_SAMPLE", "1") == "1"
