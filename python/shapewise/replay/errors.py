"""Errors that users see as one sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["ReplayError", "SubjectError", "did_you_mean", "first_line"]


class ReplayError(Exception):
    """The request cannot be done; the message says why."""


class SubjectError(ReplayError):
    """The subject is missing or cannot be loaded, so no policy can run."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that names the nearest known word, if one is near."""
    nearest = difflib.get_close_matches(word, list(known), n=1)
    return f"; did you mean '{nearest[0]}'?" if nearest else ""


def first_line(error: BaseException) -> str:
    """An exception in one line: its class, and the first line of its message."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0][:400]}" if lines else type(error).__name__
