"""A line on a terminal that says what is going on."""

from __future__ import annotations

import sys
import time

__all__ = ["Progress"]

QUIET_SECONDS = 1.0


class Progress:
    """Writes to stderr, and only if that is a terminal and it takes more than a second."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._is_shown = sys.stderr.isatty()
        self._width = 0

    def look(self, what: str, done: int, whole: int) -> None:
        """Says what runs now, and what is left by the pace so far."""
        seconds = time.monotonic() - self._begin
        if not self._is_shown or seconds < QUIET_SECONDS:
            return
        left = f", about {seconds / done * (whole - done):.0f} s left" if done else ""
        line = f"replay: {what}, {done} of {whole} runs, {seconds:.0f} s{left}"
        sys.stderr.write("\r" + line[:110].ljust(self._width))
        sys.stderr.flush()
        self._width = min(len(line), 110)

    def end(self) -> None:
        """Takes the line away."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0
