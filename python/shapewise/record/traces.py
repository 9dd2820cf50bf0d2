"""Structured traces of a process under `shapewise run`. Uses torch's logging if imported."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Callable
from typing import Any

__all__ = ["TraceFile", "string_table"]


class TraceFile(logging.Handler):
    """Replaces torch's LazyTraceHandler."""

    def __init__(self, internal: Any, write: Callable[[str], None]) -> None:
        super().__init__(logging.DEBUG)
        self._internal = internal
        self._write = write
        self._is_begun = False

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._write(self.format(record) + "\n")
        except Exception:  # a record that cannot be printed
            return
        if not self._is_begun:
            self._is_begun = True
            with contextlib.suppress(Exception):  # older releases do not have it
                self._internal._log_torch_version()
        if "dynamo_start" in getattr(record, "metadata", ()):
            self._note_passed_tensors()

    def _note_passed_tensors(self) -> None:
        with contextlib.suppress(Exception):  # the program goes on without
            from .passed import note_passed_tensors

            note_passed_tensors()

    def begin_anew(self) -> None:
        """A fork writes a trace of its own."""
        self._is_begun = False


def string_table(handler: logging.Handler) -> str:
    """The records of a trace that map numbers to strings."""
    structured: Any = sys.modules.get("torch._logging.structured")
    lines: list[str] = []
    for text, number in list(getattr(structured, "INTERN_TABLE", {}).items()):
        record = logging.LogRecord("torch.__trace", logging.DEBUG, "", 0, "", (), None)
        record.metadata = {"str": (text, number)}
        record.payload = None
        lines.append(handler.format(record) + "\n")
    return "".join(lines)
