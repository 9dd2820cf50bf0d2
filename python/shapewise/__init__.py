"""The Python side of shapewise: its analyses, and code that needs torch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .analyze import ShapewiseError, advise, buckets, check, lint
    from .record.api import Recording

    record: Recording

__all__ = ["VERSION", "ShapewiseError", "advise", "buckets", "check", "lint", "record"]

VERSION = "0.1.0"


def __getattr__(name: str) -> Any:
    """Members that are imported when they are used: recorded programs start with this package."""
    import importlib

    if name == "record":
        return importlib.import_module(f"{__name__}.record")
    if name in __all__:
        return getattr(importlib.import_module(f"{__name__}.analyze"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
