"""The file of one process: lines are appended, and counts updated in place. Needs no torch."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["CallFile", "Line"]

COUNT_WIDTH = 10  # digits and blanks of a number, so that it can be written over
SLOT = 64  # lines that may be given up have a multiple of so many bytes
MOST_LARGER = 4  # multiples by which a slot may be larger than its line
HEADER = b'{"schema": "shapewise.calls/1"}\n'
MOST_NAMES = 10_000


class Line:
    """A line of the file, whose last members are numbers."""

    __slots__ = ("begin", "is_given_up", "numbers", "parts", "size", "written")

    def __init__(self, *parts: str) -> None:
        """`parts`: the text before each number, and the text after the last."""
        self.parts = [part.encode("utf-8", "backslashreplace") for part in parts]
        self.numbers = [0] * (len(parts) - 1)
        self.written = -1  # the first number as it was handed to be written; -1: it was not
        self.begin = -1  # in the file
        self.size = 0
        self.is_given_up = False

    def text(self, numbers: list[int]) -> bytes:
        """The line without its end."""
        if len(numbers) == 1:
            return b"%b%*d%b" % (self.parts[0], COUNT_WIDTH, numbers[0], self.parts[1])
        line = self.parts[0]
        for number, part in zip(numbers, self.parts[1:], strict=True):
            line += b"%*d%b" % (COUNT_WIDTH, number, part)
        return line


class CallFile:
    """A file that no other process and no earlier recorder of this process writes."""

    def __init__(self, folder: Path, stem: str) -> None:
        """Creates the folder and the file. Raises OSError."""
        folder.mkdir(parents=True, exist_ok=True)
        self._end = 0
        self._free: dict[int, list[int]] = {}  # where lines were given up, by size
        for number in range(1, MOST_NAMES):
            name = stem if number == 1 else f"{stem}-{number}"
            self.path = folder / f"{name}.jsonl"
            try:
                # Not O_APPEND: with it, Linux appends even writes at an offset.
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
                self._file = os.open(self.path, flags, 0o666)
                break
            except FileExistsError:
                continue
        else:
            raise FileExistsError(f"{folder}: too many files called {stem}")
        self._append(HEADER)

    def append(self, lines: Iterable[tuple[Line, list[int]]]) -> None:
        """Appends lines with these numbers, which are never dropped. Raises OSError."""
        data: list[bytes] = []
        end = self._end
        for line, numbers in lines:
            data.append(line.text(numbers) + b"\n")
            line.begin, line.size = end, len(data[-1])
            end += line.size
        self._append(b"".join(data))

    def put(self, lines: Iterable[tuple[Line, list[int]]]) -> None:
        """Writes lines that may be dropped, in the places of dropped lines. Raises OSError."""
        added: list[bytes] = []
        end = self._end
        for line, numbers in lines:
            text = line.text(numbers)
            line.size = -(-(len(text) + 1) // SLOT) * SLOT
            free = self._free_slot(line.size)
            if free is not None:
                line.begin, line.size = free
                self._write_at(_padded(text, line.size), line.begin)
                continue
            line.begin = end
            added.append(_padded(text, line.size))
            end += line.size
        self._append(b"".join(added))

    def count(self, lines: Iterable[tuple[Line, list[int]]]) -> None:
        """Updates the numbers of existing lines. Raises OSError."""
        for line, numbers in lines:
            offset = line.begin
            for part, number in zip(line.parts, numbers, strict=False):
                offset += len(part)
                self._write_at(b"%*d" % (COUNT_WIDTH, number), offset)
                offset += COUNT_WIDTH

    def give_up(self, lines: Iterable[Line]) -> None:
        """Overwrite lines with empty records. Raises OSError."""
        for line in lines:
            if line.begin >= 0:
                self._write_at(_padded(HEADER[:-1], line.size), line.begin)
                self._free.setdefault(line.size, []).append(line.begin)
                line.begin = -1

    def close(self) -> None:
        """Nothing may be written afterwards."""
        with contextlib.suppress(OSError):
            os.close(self._file)

    def _free_slot(self, size: int) -> tuple[int, int] | None:
        for larger in range(size, size + (MOST_LARGER + 1) * SLOT, SLOT):
            slots = self._free.get(larger)
            if slots:
                return slots.pop(), larger
        return None

    def _append(self, data: bytes) -> None:
        """All or nothing: a line that does not fit is removed again."""
        try:
            self._write_at(data, self._end)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._end)
            raise
        self._end += len(data)

    def _write_at(self, data: bytes, offset: int) -> None:
        view = memoryview(data)
        while view:
            done = os.pwrite(self._file, view, offset)
            offset += done
            view = view[done:]


def _padded(text: bytes, size: int) -> bytes:
    """A line of `size` bytes, with blanks before its last brace."""
    return text[:-1].ljust(size - 2) + text[-1:] + b"\n"
