"""The start-up code of Python processes under `shapewise run`. Needs no torch, and waits for it.

The environment tells what is wanted:
  SHAPEWISE_RUN_FOLDER    the folder of the run
  SHAPEWISE_RUN_MAX_DISK  how many bytes its logs and traces may have
  SHAPEWISE_RUN_TRACE     TORCH_TRACE, if that is a folder of the run and no choice of the user's
  SHAPEWISE_RUN_PROBES    the folder of probes; missing: nothing is probed
  SHAPEWISE_TUNE          the job of `shapewise tune`; missing: nothing is changed
"""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from .imports import after_import
from .room import BoundedFile, ProcessNote, Room

__all__ = ["start"]

STARTED = "_shapewise_started"
DEFAULT_DISK = 2 << 30


def start() -> None:
    """Sets the process up. Raises nothing, and prints nothing."""
    folder = os.environ.get("SHAPEWISE_RUN_FOLDER")
    if not folder or hasattr(sys, STARTED):
        return
    setattr(sys, STARTED, True)
    with contextlib.suppress(Exception):
        _Process(Path(folder)).wait_for_torch()


class _Process:
    """One process of the run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        argv = getattr(sys, "orig_argv", sys.argv)
        self._note = ProcessNote(folder / ".processes", " ".join(argv[:4])[:200])
        most = _bytes(os.environ.get("SHAPEWISE_RUN_MAX_DISK"))
        self._room = Room([folder / "logs", folder / "trace"], most, self._note)
        self._pid = os.getpid()
        self._files: dict[str, BoundedFile] = {}
        self._trace: Any = None
        self._change_contexts: Callable[[Any], None] | None = None

    def wait_for_torch(self) -> None:
        """Waits for imports, which trigger everything else."""
        actions: dict[str, Callable[[ModuleType], None]] = {
            "torch._logging._internal": self._begin_logging,
            "torch._dynamo.eval_frame": self._begin_recording,
        }
        job = os.environ.get("SHAPEWISE_TUNE")
        if job:
            try:
                from ..tune.injection import Injection

                injection = Injection(Path(job))
                actions["torch"] = injection.change_compile
                self._change_contexts = injection.change_contexts
            except Exception as error:
                self._not_recorded(f"{type(error).__name__}: {error}")
        after_import(actions)

    def _begin_logging(self, internal: Any) -> None:
        self._update_note(state="torch")
        try:
            from .logs import extend_logging

            extend_logging(internal, self._write_log, self._failed)
            trace_folder = os.environ.get("TORCH_TRACE")
            if trace_folder and trace_folder == os.environ.get("SHAPEWISE_RUN_TRACE"):
                from .traces import TraceFile

                if getattr(internal, "LOG_TRACE_HANDLER", self) is None:
                    self._trace = TraceFile(internal, self._write_trace)
                    internal.LOG_TRACE_HANDLER = self._trace
        except Exception as error:  # the program must not notice
            self._failed(f"{type(error).__name__}: {error}")

    def _begin_recording(self, eval_frame: ModuleType) -> None:
        try:
            from .history import Limits
            from .recorder import start_recording

            folder = self._folder / "calls"
            probes = os.environ.get("SHAPEWISE_RUN_PROBES")
            recorder = start_recording(
                folder,
                Limits(),
                self._not_recorded,
                are_there_contexts=False,
                with_samples=bool(probes),
            )
            if probes:
                atexit.register(self._probe, recorder, Path(probes))
            if self._change_contexts is not None:
                self._change_contexts(eval_frame)
        except Exception as error:
            self._not_recorded(f"{type(error).__name__}: {error}")

    def _probe(self, recorder: Any, folder: Path) -> None:
        try:
            recorder.probe(folder)
        except Exception as error:  # the program has ended: nothing else is lost
            self._update_note(not_probed=f"{type(error).__name__}: {error}")

    def _write_log(self, text: str) -> None:
        self._file("log", ".txt", "logs", "log-", "rank{}-").write(text)

    def _write_trace(self, text: str) -> None:
        name = "dedicated_log_torch_trace_"
        self._file("trace", ".log", "trace", name, "rank_{}_", "pid_").write(text)

    def _file(
        self, kind: str, suffix: str, folder: str, name: str, ranked: str, before: str = ""
    ) -> BoundedFile:
        """The file of this process; a fork has its own."""
        if os.getpid() != self._pid:
            self._pid = os.getpid()
            self._files = {}
            self._note.begin_process(state="fork")
            if self._trace is not None:
                self._trace.begin_anew()
        file = self._files.get(kind)
        if file is None:
            from .recorder import rank_of_process

            rank = rank_of_process()
            name += "" if rank is None else ranked.format(rank)
            path = self._folder / folder / f"{name}{before}{self._pid}{suffix}"
            file = self._files[kind] = BoundedFile(path, self._room, self._head_of(kind))
            self._update_note(rank=rank)
        return file

    def _head_of(self, kind: str) -> Callable[[], str]:
        if kind != "trace":
            return str
        from .traces import string_table

        return lambda: string_table(self._trace)

    def _update_note(self, **members: Any) -> None:
        self._note.update(**members)

    def _failed(self, why: str) -> None:
        self._update_note(not_logged=why)

    def _not_recorded(self, why: str) -> None:
        self._update_note(not_recorded=why)


def _bytes(text: str | None) -> int:
    try:
        return max(1, int(text or DEFAULT_DISK))
    except ValueError:
        return DEFAULT_DISK
