"""Logs of a process under `shapewise run`. Imports torch's logging when torch is imported.

What is logged beyond what the user asked for goes to a file of ours and nowhere else.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["ADDED", "extend_logging"]

ADDED = ("recompiles", "graph_breaks", "perf_hints", "cudagraphs")

Write = Callable[[str], None]


class LogFile(logging.Handler):
    """Writes the records of torch's loggers."""

    def __init__(self, write: Write) -> None:
        super().__init__(logging.DEBUG)
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._write(self.format(record) + "\n")
        except Exception:  # reported on stderr, as logging does
            return


class Asked(logging.Filter):
    """Passes the records that the user would see without the recorder."""

    def __init__(self, internal: Any, added: set[str], levels: Mapping[str, Any]) -> None:
        super().__init__()
        self._registry = internal.log_registry
        self._added = added
        self._levels = levels

    def filter(self, record: logging.LogRecord) -> bool:
        artifact = getattr(logging.getLogger(record.name), "artifact_name", None)
        if artifact not in self._added:
            return True
        if self._registry.is_off_by_default(artifact):
            return False
        return record.levelno >= self._level(record.name)

    def _level(self, name: str) -> int:
        """The level of the nearest logger in the user's settings."""
        while name:
            level = self._levels.get(name)
            if level is not None:
                number = level if isinstance(level, int) else logging.getLevelName(level)
                return number if isinstance(number, int) else logging.WARNING
            name = name.rpartition(".")[0]
        return logging.WARNING


def extend_logging(internal: Any, write: Write, failed: Callable[[str], None]) -> None:
    """Makes torch's logging, the module `internal`, log to `write`, now and after each setup.

    On an error, calls `failed` and restores logging.
    """
    set_up = internal._init_logs

    def init_logs(*args: Any, **kwargs: Any) -> None:
        set_up(*args, **kwargs)
        try:
            _extend(internal, LogFile(write))
        except Exception as error:
            failed(f"{type(error).__name__}: {error}")

    internal._init_logs = init_logs


def _extend(internal: Any, file: LogFile) -> None:
    state, registry = internal.log_state, internal.log_registry
    levels = dict(state.log_qname_to_level)
    added = {
        name
        for name in ADDED
        if name in registry.artifact_names and not state.is_artifact_enabled(name)
    }
    if "recompiles" in added and state.is_artifact_enabled("recompiles_verbose"):
        added.discard("recompiles")  # is printed by it
    asked = Asked(internal, added, levels)
    for name in registry.get_log_qnames():
        logger = logging.getLogger(name)
        for handler in logger.handlers:
            if internal._is_torch_handler(handler):
                handler.addFilter(asked)
        internal._setup_handlers(lambda: file, logger)
    # Independent of the format on the user's screen.
    if "TORCH_LOGS_FORMAT" in os.environ or "TORCH_LOGS_TRACE_ID_FILTER" in os.environ:
        file.setFormatter(internal.TorchLogsFormatter())
    for name in added:
        state.enable_artifact(name)
    for name in registry.get_artifact_log_qnames():
        logger = logging.getLogger(name)
        if getattr(logger, "artifact_name", None) in added:
            internal.configure_artifact_log(logger)
