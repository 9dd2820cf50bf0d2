"""Fails when a module includes a header that layers.txt does not allow it.

Usage: check_layers.py ROOT

A row of ROOT/analyzer/layers.txt is "module : what it may include". The modules are the folders of
ROOT/analyzer that hold sources; one without a row is an error, too. A row "<folder/> : files" lists
the only files that include headers of that folder of a library; each of them must include one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

SOURCE_SUFFIXES = {".cc", ".h"}

INCLUDE = re.compile(r'\s*#\s*include\s*(["<]\w+/)')


class Layers(NamedTuple):
    """The rows of layers.txt."""

    allowed: dict[str, set[str]]  # the modules that each module may include
    users: dict[str, set[str]]  # the files that may include each "<folder/"
    faults: list[str]  # what is wrong with the rows themselves


def read_layers(path: Path) -> Layers:
    layers = Layers({}, {}, [])
    allowed, users, faults = layers
    for number, row in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = row.partition("#")[0].strip()
        if not text:
            continue
        module, colon, needs = text.partition(":")
        module = module.strip()
        if not colon or not module:
            faults.append(f"{path}:{number}: expected 'module : what it may include'")
            continue
        if module.startswith("<"):
            users[module.rstrip(">")] = set(needs.split())
            continue
        if module in allowed:
            faults.append(f"{path}:{number}: a second row for {module}")
        # A need has to stand above, so the rows cannot form a circle.
        faults.extend(
            f"{path}:{number}: {module} needs {need}, which has no row above"
            for need in needs.split()
            if need not in allowed
        )
        allowed[module] = {module, *needs.split()}
    return layers


def module_folders(root: Path) -> Iterator[Path]:
    """The folders of sources."""
    for folder in sorted((root / "analyzer").iterdir()):
        if folder.is_dir() and any(sources(folder)):
            yield folder


def sources(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.rglob("*")) if path.suffix in SOURCE_SUFFIXES)


def includes(path: Path) -> Iterator[tuple[int, str]]:
    """Line and first folder of each include of `path`: '"model/' or '<CLI/'."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1]


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    root = Path(arguments[0])
    layers = root / "analyzer" / "layers.txt"
    allowed, users, faults = read_layers(layers)
    unused = {(library, file) for library, files in users.items() for file in files}
    for folder in module_folders(root):
        module = folder.name
        if module not in allowed:
            faults.append(f"{layers}: no row for the module in {folder}")
            continue
        for path in sources(folder):
            file = path.relative_to(root / "analyzer").as_posix()
            for number, included in includes(path):
                name = included.strip('"/')
                # A quoted include of a folder that is no module is a third-party header.
                if name in allowed and name not in allowed[module]:
                    faults.append(f"{path}:{number}: {module} may not include {name}")
                if file not in users.get(included, {file}):
                    faults.append(f"{path}:{number}: not a file that may include {included}>")
                unused.discard((included, file))
    faults.extend(f"{layers}: {file} includes no {library}>" for library, file in sorted(unused))
    for fault in faults:
        print(fault)
    if not faults:
        print(f"{len(allowed)} modules keep to {layers.name}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
