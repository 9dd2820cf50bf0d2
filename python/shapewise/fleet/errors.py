"""Errors that prevent any result for a fleet."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["FleetError", "import_extra"]


class FleetError(Exception):
    """No result is possible. Failures of one job are rows of the table instead."""


def import_extra(name: str, extra: str) -> ModuleType:
    """The module `name`. Raises FleetError if it is not installed; `extra` installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FleetError(f"{name} is not installed: pip install 'shapewise[{extra}]'") from error
