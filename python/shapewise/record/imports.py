"""Callbacks that run after a module was imported. Needs no torch."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

__all__ = ["after_import"]

Action = Callable[[ModuleType], None]


def after_import(actions: Mapping[str, Action]) -> None:
    """Runs an action after its module was executed; immediately if it already was."""
    waiting = dict(actions)
    for name in list(waiting):
        module = sys.modules.get(name)
        if module is not None:
            waiting.pop(name)(module)
    if waiting:
        sys.meta_path.insert(0, _Finder(waiting))


class _Finder(MetaPathFinder):
    """Finds nothing itself: other finders find the awaited modules."""

    def __init__(self, actions: dict[str, Action]) -> None:
        self._actions = actions

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._actions:
            return None
        for finder in sys.meta_path:
            find: Any = getattr(finder, "find_spec", None)
            if finder is self or find is None:
                continue
            spec: ModuleSpec | None = find(fullname, path, target)
            if spec is None:
                continue
            if spec.loader is not None:
                action = self._actions.pop(fullname)
                if not self._actions and self in sys.meta_path:
                    sys.meta_path.remove(self)
                spec.loader = _Loader(spec.loader, action)
            return spec
        return None


class _Loader(Loader):
    """Loads like another loader, and removes itself before the module runs."""

    def __init__(self, loader: Loader, action: Action) -> None:
        self._loader = loader
        self._action = action

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        module.__loader__ = self._loader
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        self._action(module)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)
