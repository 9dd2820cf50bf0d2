"""Runs patched texts of source files in their places; files are not changed. Needs no torch."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.abc import PathEntryFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_loader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

__all__ = ["serve_patches"]


def serve_patches(patches: Mapping[str, str]) -> None:
    """Makes imports, and the script that this process runs, use these texts. `patches`: path of a
    source file -> path of the text. Raises OSError if a text cannot be read."""
    if not patches:
        return
    texts = {
        str(Path(path).resolve()): Path(text).read_text(encoding="utf-8")
        for path, text in patches.items()
    }
    loader: Any = SourceFileLoader
    original = loader.get_code

    def get_code(self: Any, fullname: str) -> CodeType | None:
        path = self.get_filename(fullname)
        text = texts.get(str(Path(path).resolve()))
        if text is not None:
            return compile(text, path, "exec", dont_inherit=True)
        code: CodeType | None = original(self, fullname)
        return code

    loader.get_code = get_code

    def find_script(path: str) -> _Script:
        if str(Path(path).resolve()) not in texts:
            raise ImportError(path)
        return _Script(path)

    # Python asks these whether a script is a folder or an archive with a module __main__.
    sys.path_hooks.insert(0, find_script)


class _Script(PathEntryFinder):
    """A script as a place that contains the module __main__."""

    def __init__(self, path: str) -> None:
        self._path = path

    def find_spec(self, fullname: str, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname != "__main__":
            return None
        folder = str(Path(self._path).resolve().parent)
        sys.path[:] = [folder if entry == self._path else entry for entry in sys.path]
        spec = spec_from_loader(fullname, SourceFileLoader(fullname, self._path))
        assert spec is not None
        spec.origin, spec.has_location = self._path, True
        return spec

    def invalidate_caches(self) -> None:
        """Does nothing: this finder caches nothing."""
