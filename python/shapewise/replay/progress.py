"""A progress line on a terminal."""

from __future__ import annotations

import sys
import time

__all__ = ["Progress"]

QUIET_SECONDS = 1.0


class Progress:
    """Writes to stderr, if that is a terminal and the work takes more than a second."""

    def __init__(self) -> None:
        self._begin = time.monotonic()
        self._is_shown = sys.stderr.isatty()
        self._width = 0

    def look(self, what: str, done: int, whole: int) -> None:
        """Shows the current work, and the estimated remaining time."""
        seconds = time.monotonic() - self._begin
        if not self._is_shown or seconds < QUIET_SECONDS:
            return
        left = f", about {seconds / done * (whole - done):.0f} s left" if done else ""
        line = f"replay: {what}, {done} of {whole} runs, {seconds:.0f} s{left}"
        sys.stderr.write("\r" + line[:110].ljust(self._width))
        sys.stderr.flush()
        self._width = min(len(line), 110)

    def end(self) -> None:
        """Removes the line."""
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()
            self._width = 0
