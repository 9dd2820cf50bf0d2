"""Fails when two files give one name to different types, inline functions or constants of a namespace.

Usage: check_names.py ROOT

The linker takes the first of two such types or functions for both, and says nothing: what follows is a
crash, or the answer of the other one. Names in classes may be had twice, and names in unnamed namespaces where
no header has them: files that are compiled together would silently see each other's in place of the header's.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

FOLDERS = ("analyzer", "include")
# What neither opens a scope nor names anything.
RAW_TEXT = re.compile(r'R"(\w*)\(.*?\)\1"', re.DOTALL)
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
QUOTED = re.compile(r'"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])\'')
NAMESPACE = r"\bnamespace\s*(?P<namespace>[\w:]*)\s*\{"
TYPE = r"\b(?:struct|class|enum(?:\s+class)?)\s+(?P<type>[A-Za-z_]\w*)(?=\s*(?:final\s*)?(?::[^:;{}()][^;{}]*)?\{)"
FUNCTION = r"\b(?:inline|constexpr)\s[\w:<>,&*\s]*?\b(?P<function>[A-Z]\w*)\((?P<parameters>[^()]*)\)\s*(?:noexcept\s*)?\{"
CONSTANT = r"\bconstexpr\s[\w:<>,&*\s]*?\b(?P<constant>k[A-Z]\w*)(?:\[\w*\])?\s*(?==|\{)"
TOKEN = re.compile("|".join((NAMESPACE, TYPE, FUNCTION, CONSTANT, r"(?P<open>\{)", r"(?P<close>\})")))
UNNAMED = "(unnamed)"


def without_texts(source: str) -> str:
    """`source` with nothing between quotes, and without comments."""
    for pattern in (RAW_TEXT, COMMENT, QUOTED):
        source = pattern.sub(" ", source)
    return source


def types_of(parameters: str) -> str:
    """The types of a list of parameters, without their names."""
    names_off = (re.sub(r"\s*\b[a-z_]\w*\s*(=.*)?$", "", one.strip()) for one in parameters.split(","))
    return ", ".join(names_off)


def names_in(source: str) -> tuple[set[str], set[str]]:
    """What is defined at the level of a namespace, with the namespace before it: for all, and in an unnamed one."""
    shared: set[str] = set()
    own: set[str] = set()
    scopes: list[str | None] = []

    def note(name: str) -> None:
        if not all(scopes):
            return
        prefix = "::".join(scope for scope in scopes if scope and scope != UNNAMED)
        (own if UNNAMED in scopes else shared).add(f"{prefix}::{name}")

    for match in TOKEN.finditer(without_texts(source)):
        if match["close"]:
            if scopes:
                scopes.pop()
        elif match["type"]:
            note(match["type"])
        elif match["constant"]:
            note(match["constant"])
        else:
            if match["function"]:
                note(f"{match['function']}({types_of(match['parameters'])})")
            is_namespace = match["namespace"] is not None
            scopes.append((match["namespace"] or UNNAMED) if is_namespace else None)
    return shared, own


def main() -> int:
    """Prints names that stand twice; 1 if there are any."""
    root = Path(sys.argv[1])
    places: defaultdict[str, list[str]] = defaultdict(list)
    hidden: defaultdict[str, list[str]] = defaultdict(list)
    files = 0
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix not in (".h", ".cc"):
                continue
            files += 1
            file = path.relative_to(root).as_posix()
            shared, own = names_in(path.read_text(encoding="utf-8"))
            for name in shared:
                places[name].append(file)
            for name in own:
                hidden[name].append(file)
    for name, where in hidden.items():
        if name in places:
            places[name] += where
    twice = {name: where for name, where in places.items() if len(where) > 1}
    for name, where in sorted(twice.items()):
        print(f"{name} is defined in {' and in '.join(where)}")
    if files == 0 or not places:
        print(f"check_names: nothing is read in {root}")
        return 1
    print(f"{len(places)} names in {files} files, {len(twice)} of them twice")
    return 1 if twice else 0


if __name__ == "__main__":
    sys.exit(main())
