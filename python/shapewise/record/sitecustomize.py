"""Python imports this at its start under `shapewise run`, which puts it on PYTHONPATH.

Sets the process up, and goes on to the sitecustomize that this one hides.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.machinery
import importlib.util
import sys
from pathlib import Path


def _go_on() -> None:
    here = Path(__file__).resolve().parent
    others = [entry for entry in sys.path if Path(entry or ".").resolve() != here]
    sys.path[:] = others  # what was imported finds its own modules without it
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


with contextlib.suppress(Exception):  # the program must not notice
    importlib.import_module("_shapewise.record.startup").start()
_go_on()
