"""Files of several processes within one limit of disk space. Needs no torch."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["OLDER", "BoundedFile", "ProcessNote", "Room"]

OLDER = ".1"  # what a file is called that a newer one took the place of
FILES_OF_A_PROCESS = 4  # a log and a trace, each with its older one
LOOK_SHARE = 8  # of a file's share: after so much it is looked at what others have
LOOK_MOST = 16 << 20
PID = re.compile(r"(\d+)\.(?:txt|log)(?:\.1)?$")


class ProcessNote:
    """The status of a process in `.processes/PID.json`."""

    def __init__(self, folder: Path, program: str) -> None:
        self._folder = folder
        self._members: dict[str, Any] = {"program": program}
        self._lock = threading.Lock()

    def begin_process(self, **members: Any) -> None:
        """Start again: the parent of a fork reports what the fork inherits."""
        with self._lock:
            self._members = {"program": self._members["program"], **members}
            self._write()

    def update(self, **members: Any) -> None:
        """Add members and write them; errors such as a full disk are reported elsewhere."""
        with self._lock:
            self._members.update(members)
            self._write()

    def add(self, name: str, number: int) -> None:
        """Adds to a numeric member."""
        with self._lock:
            self._members[name] = self._members.get(name, 0) + number
            self._write()

    def _write(self) -> None:
        path = self._folder / f"{os.getpid()}.json"
        temporary = path.with_suffix(".tmp")
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"pid": os.getpid(), **self._members}) + "\n")
            temporary.replace(path)


class Room:
    """The folders of a run with a limit."""

    def __init__(self, folders: list[Path], most_bytes: int, note: ProcessNote) -> None:
        """`most_bytes`: the limit for all files in `folders`."""
        self.folders = folders
        self.most_bytes = most_bytes
        self.note = note
        processes = max(1, _number("LOCAL_WORLD_SIZE"))
        self.share = max(1, most_bytes // processes // FILES_OF_A_PROCESS)
        self.look_bytes = max(1, min(self.share // LOOK_SHARE, LOOK_MOST))

    def make(self) -> bool:
        """Deletes files of ended processes, the oldest first, while the limit is exceeded.

        False: there is too much all the same.
        """
        files = sorted(self._files(), key=lambda file: (not file[0].name.endswith(OLDER), file[2]))
        used = sum(size for _, size, _ in files)
        for path, size, _ in files:
            if used <= self.most_bytes:
                break
            if _is_running(path.name):
                continue
            with contextlib.suppress(OSError):
                path.unlink()
                used -= size
                self.dropped(size)
        return used <= self.most_bytes

    def dropped(self, size: int) -> None:
        """Counts bytes that were deleted, or could not be written."""
        self.note.add("dropped_bytes", size)

    def _files(self) -> Iterator[tuple[Path, int, float]]:
        for folder in self.folders:
            with contextlib.suppress(OSError):
                for path in folder.iterdir():
                    with contextlib.suppress(OSError):
                        status = path.stat()
                        yield path, status.st_size, status.st_mtime


class BoundedFile:
    """A file that is renamed and restarted when it reaches its share."""

    def __init__(self, path: Path, room: Room, head: Callable[[], str] = str) -> None:
        """Creates no file before the first write. `head` returns the first text of a restarted
        file."""
        self.path = path
        self._room = room
        self._head = head
        self._file = -1
        self._size = 0
        self._unlooked = 0
        self._has_ended = False

    def write(self, text: str) -> None:
        """Writes the text immediately, or counts it as dropped. Raises nothing."""
        data = text.encode("utf-8", "backslashreplace")
        if self._has_ended:
            self._room.dropped(len(data))
            return
        try:
            if self._size > 0 and self._size + len(data) > self._room.share:
                self._begin_anew()
            self._unlooked += len(data)
            if self._unlooked >= self._room.look_bytes:
                self._look()
            if not self._has_ended:
                self._append(data)
        except OSError as error:
            self._end(f"{self.path}: {error.strerror or error}")

    def _append(self, data: bytes) -> None:
        if self._file < 0:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
            self._file = os.open(self.path, flags, 0o666)
        while data:
            done = os.write(self._file, data)
            self._size += done
            data = data[done:]

    def _begin_anew(self) -> None:
        os.close(self._file)
        self._file = -1
        older = self.path.with_name(self.path.name + OLDER)
        with contextlib.suppress(FileNotFoundError):
            self._room.dropped(older.stat().st_size)
        self.path.replace(older)
        self._size = 0
        self._append(self._head().encode("utf-8", "backslashreplace"))

    def _look(self) -> None:
        self._unlooked = 0
        if self._room.make():
            return
        older = self.path.with_name(self.path.name + OLDER)
        with contextlib.suppress(FileNotFoundError):
            size = older.stat().st_size
            older.unlink()
            self._room.dropped(size)
        if not self._room.make():
            self._end("there is no room left: --max-disk")

    def _end(self, why: str) -> None:
        self._has_ended = True
        self._room.note.update(stopped=why)
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.close(self._file)
            self._file = -1


def _number(name: str) -> int:
    try:
        return int(os.environ[name])
    except (KeyError, ValueError):
        return 0


def _is_running(name: str) -> bool:
    """Whether the process in a file's name is alive; True if this is unknown."""
    found = PID.search(name)
    if found is None or sys.platform == "win32":
        return True
    try:
        os.kill(int(found.group(1)), 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
