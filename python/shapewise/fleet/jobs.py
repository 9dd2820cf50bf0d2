"""From paths to jobs, each cut into parts that one process reads."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import FleetError, import_extra

__all__ = ["Job", "Part", "fetch", "find_jobs"]

PART_FILES = 64
PART_BYTES = 256 << 20


@dataclass(frozen=True)
class Part:
    """Files of one job that are read together."""

    root: str  # a folder, or a URL of one
    files: tuple[str, ...]  # below it, with "/"

    @property
    def is_remote(self) -> bool:
        """Whether fsspec reads it."""
        return is_url(self.root)


@dataclass(frozen=True)
class Job:
    """One job: its name is the path by which it was found."""

    name: str
    parts: tuple[Part, ...]
    problem: str = ""  # why there are no parts


def is_url(path: str) -> bool:
    """Whether `path` has a scheme, as fsspec reads them."""
    return "://" in path or "::" in path


def find_jobs(
    paths: Iterable[str], part_files: int = PART_FILES, part_bytes: int = PART_BYTES
) -> list[Job]:
    """The jobs that `paths` name, by name, each once."""
    jobs: dict[str, Job] = {}
    for path in paths:
        for name, listing in _remote(path) if is_url(path) else _local(path):
            if name not in jobs:
                jobs[name] = _job(name, listing, part_files, part_bytes)
    return [jobs[name] for name in sorted(jobs)]


def fetch(part: Part, folder: Path) -> None:
    """Copies the files of a remote part into `folder`."""
    filesystem, root = _filesystem(part.root)
    for file in part.files:
        target = folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        filesystem.get_file(f"{root.rstrip('/')}/{file}", str(target))


@dataclass(frozen=True)
class _Listing:
    root: str
    files: Sequence[tuple[str, int]]  # name below root, bytes
    problem: str = ""


def _job(name: str, listing: _Listing, part_files: int, part_bytes: int) -> Job:
    if listing.problem or not listing.files:
        return Job(name, (), listing.problem or "there are no files in it")
    parts = []
    files: list[str] = []
    size = 0
    for file, file_bytes in sorted(listing.files):
        if files and (len(files) >= part_files or size + file_bytes > part_bytes):
            parts.append(Part(listing.root, tuple(files)))
            files, size = [], 0
        files.append(file)
        size += file_bytes
    parts.append(Part(listing.root, tuple(files)))
    return Job(name, tuple(parts))


def _local(path: str) -> Iterator[tuple[str, _Listing]]:
    names = [path]
    if not os.path.lexists(path) and glob.has_magic(path):
        names = sorted(glob.iglob(path, recursive=True))  # noqa: PTH207 - absolute or not, as given
        if not names:
            yield path, _Listing("", (), "nothing matches")
    for name in names:
        yield name, _list_local(name)


def _list_local(name: str) -> _Listing:
    path = Path(name).absolute()
    try:
        if not path.is_dir():
            return _Listing(str(path.parent), ((path.name, path.stat().st_size),))
        files = [
            (file.relative_to(path).as_posix(), file.stat().st_size)
            for folder, _, found in os.walk(path, onerror=_raise)
            for file in (Path(folder) / each for each in found)
            if file.is_file()
        ]
    except OSError as error:
        return _Listing("", (), f"cannot be read: {error.strerror}")
    return _Listing(str(path), files)


def _raise(error: OSError) -> None:
    raise error


def _filesystem(url: str) -> tuple[Any, str]:
    found = import_extra("fsspec", "fleet").core.url_to_fs(url)
    return found[0], str(found[1])


def _remote(url: str) -> Iterator[tuple[str, _Listing]]:
    # Other file systems may raise anything; it concerns only this path.
    try:
        filesystem, root = _filesystem(url)
        scheme = url[: len(url) - len(root)] if url.endswith(root) else ""
        names = [root]
        if glob.has_magic(root):
            names = sorted(str(name) for name in filesystem.glob(root))
            if not names:
                yield url, _Listing("", (), "nothing matches")
    except FleetError:
        raise
    except Exception as error:
        yield url, _Listing("", (), f"cannot be read: {type(error).__name__}: {error}")
        return
    for name in names:
        full = scheme + name if scheme else str(filesystem.unstrip_protocol(name))
        try:
            yield full, _list_remote(filesystem, name, full)
        except Exception as error:
            yield full, _Listing("", (), f"cannot be read: {type(error).__name__}: {error}")


def _list_remote(filesystem: Any, name: str, full: str) -> _Listing:
    if not filesystem.isdir(name):
        size = int(filesystem.info(name)["size"] or 0)
        return _Listing(full.rpartition("/")[0], ((name.rpartition("/")[2], size),))
    found = filesystem.find(name, detail=True)
    below = name.rstrip("/") + "/"
    return _Listing(
        full,
        [(str(file)[len(below) :], int(about["size"] or 0)) for file, about in found.items()],
    )
