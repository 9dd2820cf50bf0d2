"""What torch tests of whole programs share: what did not hold, and the environment of programs."""

from __future__ import annotations

import os

problems: list[str] = []


def expect(holds: bool, what: str) -> None:
    """Notes and prints what does not hold."""
    if not holds:
        problems.append(what)
        print(f"  DOES NOT HOLD: {what}", flush=True)


def environment(threads: int, **more: str) -> dict[str, str]:
    """This environment without settings of torch, Python and shapewise; `threads` for OpenMP."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("TORCH", "SHAPEWISE", "PYTHON"))
    }
    return {**kept, "OMP_NUM_THREADS": str(threads), **more}
