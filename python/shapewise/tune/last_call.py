"""The call at which all ranks of a job end: one file next to their figures."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

__all__ = ["agree_on_last_call", "read_last_call"]

FILE = "last-call"


def read_last_call(folder: Path) -> int | None:
    """The number of the call; None if nothing was agreed on yet."""
    try:
        return int((folder / FILE).read_text())
    except (OSError, ValueError):
        return None


def agree_on_last_call(folder: Path, proposed: int) -> int:
    """The first proposal of all processes."""
    part = folder / f"{FILE}-{os.getpid()}"
    with contextlib.suppress(OSError):  # FileExistsError: another process was first
        part.write_text(str(proposed))
        os.link(part, folder / FILE)
    part.unlink(missing_ok=True)
    agreed = read_last_call(folder)
    return proposed if agreed is None else agreed
