"""`shapewise.record` for type checkers, which do not support callable modules."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol, TypeVar

from .loader import WatchedLoader

__all__ = ["Recording"]

Batch = TypeVar("Batch")


class Recording(Protocol):
    """The module `shapewise.record`."""

    def __call__(self, folder: str | Path = ..., **limits: int) -> AbstractContextManager[None]:
        """As a context manager."""

    def start(self, folder: str | Path = ..., **limits: int) -> None:
        """Starts."""

    def stop(self) -> None:
        """Stops."""

    def watch(self, loader: Iterable[Batch], name: str = ...) -> WatchedLoader[Batch]:
        """Batches, too."""
