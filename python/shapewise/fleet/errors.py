"""What keeps a fleet as a whole from being told."""

from __future__ import annotations

import importlib
from types import ModuleType

__all__ = ["FleetError", "import_extra"]


class FleetError(Exception):
    """Nothing can be told. What fails in one job is a row of the table instead."""


def import_extra(name: str, extra: str) -> ModuleType:
    """The module `name`. FleetError: it is not installed; `extra` brings it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FleetError(f"{name} is not installed: pip install 'shapewise[{extra}]'") from error
