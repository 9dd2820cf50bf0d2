"""Processes that compile at once, and are timed one after the other."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

__all__ = ["Turns"]

T = TypeVar("T")


class Turns:
    """Who of several processes compiles, and who is timed."""

    def __init__(self, folder: Path, processes: int, at_once: int) -> None:
        """All `processes` take part; at most `at_once` of them compile at the same time."""
        self._folder = folder
        self._compiling = threading.Semaphore(at_once)
        self._timing = threading.Lock()
        self._left_to_compile = processes
        self._counting = threading.Lock()

    def run(self, number: int, process: Callable[[Path, Callable[[], None]], T]) -> T:
        """Returns `process(folder, look)` of one of them; each is run in a thread of its own.

        The process makes the file "ready" in the folder once it has compiled, and begins to time
        when the file "turn" is there; `look` has to be called now and then. Nothing is timed before
        all have compiled or ended.
        """
        folder = self._folder / str(number)
        folder.mkdir(parents=True)
        is_compiling = is_timing = False

        def compiled() -> None:
            nonlocal is_compiling
            is_compiling = False
            self._compiling.release()
            with self._counting:
                self._left_to_compile -= 1

        def look() -> None:
            nonlocal is_timing
            if is_compiling and (folder / "ready").exists():
                compiled()
            if is_compiling or is_timing or self._left_to_compile:
                return
            if self._timing.acquire(blocking=False):
                is_timing = True
                (folder / "turn").touch()

        self._compiling.acquire()
        is_compiling = True
        try:
            return process(folder, look)
        finally:
            if is_compiling:
                compiled()
            if is_timing:
                self._timing.release()
