"""The Python side of shapewise: code that needs torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .record.api import Recording

    record: Recording

__all__ = ["VERSION", "record"]

VERSION = "0.1.0"


def __getattr__(name: str) -> Any:
    """`shapewise.record`, without an import of its own."""
    if name != "record":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return importlib.import_module(f"{__name__}.record")
