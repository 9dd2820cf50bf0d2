"""Fresh processes, one per measurement: started with cold caches, watched, always ended."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .errors import ReplayError

__all__ = ["Companion", "run_child", "start_servers"]

LOOK_SECONDS = 0.1
TAIL_BYTES = 4096
PACKAGE_ROOT = Path(__file__).resolve().parents[2]

# Variables that would carry state between processes, or change measurements.
FORGOTTEN = (
    *("TORCH_COMPILE_JOB_ID", "TORCH_COMPILE_STICKY_PGO_READ", "TORCH_COMPILE_STICKY_PGO_WRITE"),
    *("TORCH_LOGS", "TORCH_LOGS_OUT", "TORCH_TRACE", "TORCH_COMPILE_DEBUG", "TORCH_COMPILE"),
    *("TORCHDYNAMO_AUTOMATIC_DYNAMIC_LOCAL_PGO", "TORCHDYNAMO_AUTOMATIC_DYNAMIC_REMOTE_PGO"),
    *("TORCH_COMPILE_DYNAMIC_SOURCES", "TORCH_COMPILE_UNBACKED_SOURCES", "TRITON_CACHE_DIR"),
)


class _ForkServer:
    """shapewise.replay.fork_server, and the process that it runs for us."""

    def __init__(self) -> None:
        self._server = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "shapewise.replay.fork_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
            start_new_session=True,
        )
        self._read = b""

    def ask(self, question: dict[str, Any]) -> int | None:
        """Starts a process; returns its number, or None if the server has ended."""
        assert self._server.stdin is not None
        try:
            self._server.stdin.write(json.dumps(question).encode() + b"\n")
            self._server.stdin.flush()
        except OSError:
            return None
        while self._server.poll() is None or self._read:
            given = self.listen(LOOK_SECONDS)
            if given is not None:
                return given["pid"]
        return None

    def listen(self, seconds: float) -> dict[str, int] | None:
        """The next line of its output, if it comes in time."""
        assert self._server.stdout is not None
        pipe = self._server.stdout.fileno()
        if b"\n" not in self._read and select.select([pipe], [], [], seconds)[0]:
            self._read += os.read(pipe, 1 << 12)
        if b"\n" not in self._read:
            return None
        line, _, self._read = self._read.partition(b"\n")
        given: dict[str, int] = json.loads(line)
        return given

    def is_alive(self) -> bool:
        """Whether it is ready."""
        return self._server.poll() is None

    def end(self) -> str:
        """Ends it; returns its last status."""
        _end_all(self._server)
        said = b""
        for pipe in (self._server.stdin, self._server.stdout, self._server.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    said = b"" if pipe is self._server.stdin else pipe.read()
                    pipe.close()
        lines = said.decode("utf-8", errors="replace").strip().splitlines()
        return lines[-1].strip() if lines else ""


_idle: list[_ForkServer] = []


@atexit.register
def _end_servers() -> None:
    while _idle:
        _idle.pop().end()


def start_servers(count: int) -> None:
    """Makes `count` calls of run_child at once possible.

    A server ends with the thread that started it, so the main thread has to start those that
    threads will use.
    """
    while len(_idle) < count:
        _idle.append(_ForkServer())


def run_child(
    request: dict[str, Any],
    timeout_seconds: float,
    look: Callable[[], None],
    caches: Path | None = None,
) -> dict[str, Any]:
    """Runs shapewise.replay.child in a process of its own, a fork of one that has torch imported.

    Its caches are empty and deleted with it, unless a folder for them is given. `look` is called
    now and then while it runs. A process that dies, or takes longer than it may, gives
    {"error": ...}, the latter with what it wrote before. Whatever ends this call ends the process
    and all that it started.
    """
    with tempfile.TemporaryDirectory(prefix="shapewise-replay-") as scratch:
        folder = Path(scratch)
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        question = {
            "request": str(folder / "request.json"),
            "result": str(folder / "result.json"),
            "output": str(folder / "output.txt"),
            "environment": _cache_folders(caches or folder),
        }
        server = _idle.pop() if _idle else _ForkServer()
        pid = server.ask(question)
        if pid is None:
            why = server.end()
            return {"error": f"torch cannot be imported{': ' if why else ''}{why}"}
        try:
            status = _status_of(server, timeout_seconds, look)
        finally:
            _kill_group(pid)
            if server.is_alive():
                _idle.append(server)
        result = folder / "result.json"
        given: dict[str, Any] = {}
        if result.is_file():
            given = json.loads(result.read_text(encoding="utf-8"))
        if status is None:
            server.listen(timeout_seconds)  # that it has ended now
            return {**given, "error": f"took longer than {timeout_seconds:g} s", "timed_out": True}
        if given and status == 0:
            return given
        if status == 0:
            return {}
        return {"error": _why_it_died(status, folder / "output.txt")}


def _status_of(server: _ForkServer, seconds: float, look: Callable[[], None]) -> int | None:
    """The exit status of the server's process, if it ended in time."""
    last = time.monotonic() + seconds
    while time.monotonic() < last:
        given = server.listen(LOOK_SECONDS)
        if given is not None:
            return given["status"]
        if not server.is_alive():
            return -int(signal.SIGKILL)
        look()
    return None


class Companion:
    """A process with cold caches that answers a line of JSON with a line of JSON."""

    def __init__(self, module: str, request: dict[str, Any]) -> None:
        """Start `module` with a file of instructions as its argument."""
        self._scratch = tempfile.TemporaryDirectory(prefix="shapewise-replay-")
        self._folder = Path(self._scratch.name)
        (self._folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        with (self._folder / "output.txt").open("wb") as output:
            self._child = subprocess.Popen(
                [sys.executable, "-m", module, str(self._folder / "request.json")],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=output,
                env=_environment() | _cache_folders(self._folder),
                start_new_session=True,
            )
        self._read = b""

    def ask(self, question: dict[str, Any], timeout_seconds: float) -> dict[str, Any]:
        """The answer to a question. After a ReplayError there are no more answers."""
        assert self._child.stdin is not None
        try:
            self._child.stdin.write(json.dumps(question).encode() + b"\n")
            self._child.stdin.flush()
        except OSError:
            raise ReplayError(self._why()) from None
        return self.answer(timeout_seconds)

    def answer(self, timeout_seconds: float) -> dict[str, Any]:
        """The next line of its output. Raises ReplayError."""
        assert self._child.stdout is not None
        pipe = self._child.stdout.fileno()
        last = time.monotonic() + timeout_seconds
        while b"\n" not in self._read:
            ready, _, _ = select.select([pipe], [], [], max(0.0, last - time.monotonic()))
            if not ready:
                raise ReplayError(f"took longer than {timeout_seconds:g} s")
            part = os.read(pipe, 1 << 16)
            if not part:
                raise ReplayError(self._why())
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        given: dict[str, Any] = json.loads(line)
        return given

    def end(self) -> None:
        """Ends it and its child processes."""
        _end_all(self._child)
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._scratch.cleanup()

    def _why(self) -> str:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(1)
        return _why_it_died(self._child.poll() or 0, self._folder / "output.txt")


def _cache_folders(folder: Path) -> dict[str, str]:
    return {
        "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor"),
        "TRITON_CACHE_DIR": str(folder / "triton"),
    }


def _environment() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name not in FORGOTTEN}
    paths = [str(PACKAGE_ROOT), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    return environment


def _end_all(child: subprocess.Popen[bytes]) -> None:
    """Ends a process and its group, which includes compilers."""
    _kill_group(child.pid)
    child.wait()


def _kill_group(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


def _why_it_died(status: int, output: Path) -> str:
    if not output.is_file():
        return f"the process ended with status {status}"
    with output.open("rb") as file:
        file.seek(max(0, output.stat().st_size - TAIL_BYTES))
        lines = file.read().decode("utf-8", errors="replace").strip().splitlines()
    said = f": {lines[-1].strip()}" if lines else ""
    if status < 0:
        with contextlib.suppress(ValueError):
            return f"the process was ended by {signal.Signals(-status).name}{said}"
    return f"the process ended with status {status}{said}"
