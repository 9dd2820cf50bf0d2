"""The program: where it is, and how it is run."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from shapewise.__main__ import find_program as find_own_program

from .errors import FleetError

__all__ = ["find_program", "run_program"]


def find_program(given: str | None = None) -> str:
    """The path of `shapewise`. Raises FleetError if it is not found."""
    for path in (given, os.environ.get("SHAPEWISE_PROGRAM")):
        if path:
            found = shutil.which(path)
            if found is None:
                raise FleetError(f"{path} is no program")
            return str(Path(found).absolute())
    own = find_own_program()
    found = str(own) if own is not None else shutil.which("shapewise")
    if found is None:
        raise FleetError("the program shapewise is not in PATH: give --program")
    return found


def run_program(
    command: Sequence[str], folder: Path, timeout: float | None
) -> tuple[int, bytes, tuple[str, ...]]:
    """Runs `command` in `folder`: its exit status, what it printed, and its errors."""
    done = subprocess.run(
        command,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=timeout,
    )
    said = done.stderr.decode("utf-8", "replace").splitlines()
    errors = tuple(
        line.removeprefix("shapewise: error: ") for line in said if "warning: " not in line
    )
    return done.returncode, done.stdout, errors
