"""Writes the arguments of each call of each compiled function as call records. Needs no torch.

    with shapewise.record("runs/today"):
        train()

The design is in analyzer/docs/recording.md. Modules that import torch say so in their first line.
This package imports nothing but itself, by relative names: `shapewise run` carries it along. Under
`shapewise tune` its start-up hook imports `tune` as well.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from .loader import WatchedLoader

__all__ = ["DEFAULT_FOLDER", "start", "stop", "watch"]

DEFAULT_FOLDER = "shapewise-calls"

Batch = TypeVar("Batch")


def start(folder: str | Path = DEFAULT_FOLDER, **limits: int) -> None:
    """Records all calls of compiled functions from now on in `folder`, which is created.

    `limits`: `ordered`, how many runs of equal calls of a function are kept in order (10000);
    `distinct`, how many distinct calls of a function are counted after that (4096). Needs torch
    2.7 or newer. Raises RuntimeError if a recorder is at work already, TypeError for a limit that
    is none, and OSError if the folder cannot be made.
    """
    from .history import Limits
    from .recorder import start_recording

    start_recording(Path(folder), Limits(**limits))


def stop() -> None:
    """Writes the rest and stops recording; does nothing if no recorder was started."""
    from .recorder import stop_recording

    stop_recording()


def watch(loader: Iterable[Batch], name: str = "loader") -> WatchedLoader[Batch]:
    """A wrapper of `loader` that records the sizes of each batch, while a recorder runs.

    Inputs are named by the keys of a batch that is a dict, else by position; a batch that is a
    tensor is "batch". `name` is what the records call the function.
    """
    from .loader import WatchedLoader

    return WatchedLoader(loader, name)


@contextmanager
def _recording(folder: str | Path, limits: dict[str, int]) -> Iterator[None]:
    start(folder, **limits)
    try:
        yield
    finally:
        stop()


class _CallableModule(ModuleType):
    """A module that can be called, for `with shapewise.record(...)`."""

    def __call__(
        self, folder: str | Path = DEFAULT_FOLDER, **limits: int
    ) -> AbstractContextManager[Any]:
        return _recording(folder, limits)


sys.modules[__name__].__class__ = _CallableModule
