#!/usr/bin/env python3
"""Fails when a file uses a name of a header that it does not include, by whatever way.

Usage: check_includes.py ROOT

The dev presets compile the files of a module eight at a time, where each sees what those before it include; a
release compiles them one by one. So what only works by its neighbours is found here, without compiling. Names are
types, functions and constants of namespaces, which are unique (check_names.py); a name that stands anywhere in the
file's own text as defined, or in a header that it reaches, counts as there.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

from check_names import names_in, without_texts

FOLDERS = ("include", "analyzer")
INCLUDE = re.compile(r'^#include "([^"]+)"', re.MULTILINE)
DECLARED = re.compile(r"^(?!return|using|typedef|static_assert|friend)[\w:<>,&*\[\] ]+?[ &*]([A-Z]\w+)\(", re.MULTILINE)
USED = re.compile(r"(?<![\w.>:~])(?!(?<=\()\w+\))(k[A-Z]\w+|[A-Z]\w*[a-z]\w*)\b")
DEFINED = (
    r"(?:\b(?:class|struct|enum|typename|using|concept) |\bconstexpr [^=;(]*?"
    r"|^ *(?!return\b|else\b|case\b|throw\b)[\w:<>,()&*\[\] ]+?[ &*>]){name}\b"
)


def names_of(text: str) -> set[str]:
    """What a header brings."""
    shared, _ = names_in(text)
    names = {re.sub(r"\(.*", "", name).rpartition("::")[2] for name in shared}
    return names | set(DECLARED.findall(without_texts(text)))


class Tree:
    """The files of a checkout, and what they include."""

    def __init__(self, root: Path) -> None:
        self.texts: dict[str, str] = {}
        for folder in FOLDERS:
            for path in sorted((root / folder).rglob("*")):
                # The replay uses torch's names as well as its own.
                if path.suffix in (".h", ".def", ".cc") and "replay" not in path.parent.name:
                    self.texts[path.relative_to(root).as_posix()] = path.read_text(encoding="utf-8")
        self.reached: dict[str, set[str]] = {}

    def resolve(self, included: str, file: str) -> str | None:
        """The header that `file` means: from a root on, or beside it."""
        for folder in (*FOLDERS, Path(file).parent.as_posix()):
            if f"{folder}/{included}" in self.texts:
                return f"{folder}/{included}"
        return None

    def reach(self, file: str) -> set[str]:
        """The headers that `file` includes, and what these include."""
        if file not in self.reached:
            self.reached[file] = set()  # of a circle, what is known so far
            found: set[str] = set()
            for included in INCLUDE.findall(self.texts[file]):
                header = self.resolve(included, file)
                if header is not None:
                    found |= {header} | self.reach(header)
            self.reached[file] = found
        return self.reached[file]


def main() -> int:
    tree = Tree(Path(sys.argv[1]))
    brought_by: defaultdict[str, set[str]] = defaultdict(set)
    for file, text in tree.texts.items():
        if file.endswith(".h"):
            for name in names_of(text):
                brought_by[name].add(file)
    words = {file: set(re.findall(r"\w+", text)) for file, text in tree.texts.items() if not file.endswith(".cc")}
    count = 0
    for file, text in tree.texts.items():
        if file.endswith(".def"):  # a table that headers include
            continue
        code = without_texts(text)
        reached = tree.reach(file)
        for name in sorted(set(USED.findall(code))):
            if name not in brought_by or file in brought_by[name] or brought_by[name] & reached:
                continue
            if any(name in words[header] for header in reached):
                continue
            if re.search(DEFINED.format(name=name), code, re.MULTILINE):
                continue
            line = next(i for i, row in enumerate(text.splitlines(), 1) if re.search(rf"\b{name}\b", row))
            print(f"{file}:{line}: {name} is in {' and '.join(sorted(brought_by[name]))}, which is not included")
            count += 1
    if not brought_by:
        print("check_includes: no headers are here")
        return 1
    print(f"{len(tree.texts)} files, {count} names that are not included")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
