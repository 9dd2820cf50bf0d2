"""Python files as shapewise parses them, compared with Python's own ast, node by node.

    check_pyast.py PRINT_PYAST [--every N] [--stdlib] [--site-packages] [PATH...]

PATHs are files, or folders whose *.py are all compared. --every N takes every Nth file. Files that this Python cannot
parse are left out. Python before 3.12 has no places inside of f-strings: there they are not compared.
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import sysconfig
import unicodedata
import warnings
from itertools import pairwise
from pathlib import Path

SHOWN = 10
BATCH = 400
SKIPPED = {"ctx", "type_comment", "kind", "type_ignores", "str"}
# Fields that newer releases of Python have, and what they are without.
NEWER = {"type_params": "[]", "default_value": "_"}
FIELDS = {
    "FunctionDef": ("name", "args", "body", "decorator_list", "returns", "type_params"),
    "AsyncFunctionDef": ("name", "args", "body", "decorator_list", "returns", "type_params"),
    "ClassDef": ("name", "bases", "keywords", "body", "decorator_list", "type_params"),
    "TypeVar": ("name", "bound", "default_value"),
    "ParamSpec": ("name", "default_value"),
    "TypeVarTuple": ("name", "default_value"),
}
HAS_FSTRING_PLACES = sys.version_info >= (3, 12)
NUMBERS = (" int ", " float ", " complex ")
UNPRINTABLE = re.compile(rb'[^!-~]|[\\"]')


class Printer:
    """Prints trees as tests/support/pyast_dump.cc does."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.lines = [0]
        self.lines += [match.end() for match in re.finditer(rb"\r\n|\r|\n", data)]
        self.bom = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self.joined = 0

    def place(self, line: int, column: int) -> int:
        return self.lines[line - 1] + column + (self.bom if line == 1 else 0)

    def text(self, value: str | bytes) -> str:
        if isinstance(value, str):
            value = value.encode("utf-8", "surrogatepass")
        return '"' + UNPRINTABLE.sub(lambda found: b"\\%02x" % found.group()[0], value).decode() + '"'

    def value(self, value) -> str:
        if value is None:
            return "_"
        if isinstance(value, list):
            return "[" + " ".join(map(self.value, value)) + "]"
        if isinstance(value, ast.AST):
            if isinstance(value, (ast.operator, ast.unaryop, ast.boolop, ast.cmpop)):
                return type(value).__name__
            return self.node(value)
        return self.text(value) if isinstance(value, str) else str(int(value))

    def constant(self, node: ast.Constant, begin: int, end: int) -> str:
        value = node.value
        if value is None or value is True or value is False:
            return f'{value} ""'
        if value is Ellipsis:
            return 'Ellipsis ""'
        name = type(value).__name__
        return f"{name} {self.text(value if isinstance(value, (str, bytes)) else self.data[begin:end])}"

    def node(self, node: ast.AST) -> str:
        name = type(node).__name__
        text = "(" + name
        begin = end = 0
        if hasattr(node, "lineno") and node.end_lineno is not None:
            begin = self.place(node.lineno, node.col_offset)
            end = self.place(node.end_lineno, node.end_col_offset)
            text += f"@{begin}-{end}"
        if name == "Constant":
            return f"{text} {self.constant(node, begin, end)})"
        if name == "MatchSingleton":
            return f"{text} {node.value})"
        names = {"name", "asname", "arg", "rest", "module"}
        for field in FIELDS.get(name, node._fields):
            if field in SKIPPED:
                continue
            value = getattr(node, field, None)
            if field in NEWER and not value:
                text += " " + NEWER[field]
            elif value is None and field in names:
                text += ' ""'
            else:
                text += " " + self.value(value)
        return text + ")"


def without_fstring_places(line: str) -> str:
    """`line` without places from the begin of each f-string to its end."""
    if "(JoinedStr@" not in line:
        return line
    parts, depth, at = [], None, 0
    level = 0
    for match in re.finditer(r'"[^"]*"|\(([A-Za-z]+)(@\d+-\d+)?|\)', line):
        parts.append(line[at : match.start()])
        at = match.end()
        token = match.group()
        if token.startswith("("):
            level += 1
            is_joined = depth is not None
            if match[1] == "JoinedStr" and depth is None:
                depth = level
            parts.append("(" + match[1] if is_joined else token)
        else:
            if token == ")":
                if depth == level:
                    depth = None
                level -= 1
            elif depth is not None and parts[-1].endswith(NUMBERS):
                token = ""  # the text of a number is found by its place
            parts.append(token)
    return "".join(parts) + line[at:]


def expected(path: Path) -> list[str] | None:
    data = path.read_bytes()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        data.decode("utf-8")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    if b"\\N{" in data:
        return None
    printer = Printer(data)
    return [printer.node(statement) for statement in tree.body]


def printed(program: str, paths: list[Path]) -> dict[str, list[str]]:
    run = subprocess.run([program], input="\n".join(map(str, paths)) + "\n", capture_output=True, text=True,
                         errors="surrogateescape", check=True)  # fmt: skip
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in run.stdout.split("\n"):
        if line.startswith("file "):
            lines = files.setdefault(line[5:], [])
        elif line:
            lines.append(line)
    return files


def normal(line: str) -> str:
    if not HAS_FSTRING_PLACES:
        line = without_fstring_places(line)
    return line


def names_of(line: str) -> str:
    """`line` with its names as Python compares them (NFKC)."""
    if "\\" not in line:
        return line
    raw = re.sub(r"\\([0-9a-f]{2})", lambda found: chr(int(found[1], 16)), line)
    return unicodedata.normalize("NFKC", raw.encode("latin-1").decode("utf-8", "surrogateescape"))


def compare(ours: list[str], theirs: list[str]) -> tuple[str, str] | None:
    if ours == theirs:
        return None
    for a, b in zip(ours + ["(end)"], theirs + ["(end)"]):
        a, b = normal(a), normal(b)
        if a != b and names_of(a) != names_of(b):
            return a, b
    return None if len(ours) == len(theirs) else ("length", "length")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program")
    parser.add_argument("paths", nargs="*", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--stdlib", action="store_true")
    parser.add_argument("--site-packages", action="store_true")
    arguments = parser.parse_intermixed_args()
    roots = list(arguments.paths)
    if arguments.stdlib:
        roots.append(Path(sysconfig.get_path("stdlib")))
    if arguments.site_packages:
        roots.append(Path(sysconfig.get_path("purelib")))
    paths: list[Path] = []
    for root in roots:
        paths += sorted(root.rglob("*.py")) if root.is_dir() else [root]
    paths = sorted(set(path for path in paths if path.is_file()))[:: arguments.every]
    read = bad = 0
    sys.setrecursionlimit(20000)
    starts = [*range(0, len(paths), BATCH), len(paths)]
    for first, last in pairwise(starts):
        batch = paths[first:last]
        trees = printed(arguments.program, batch)
        for path in batch:
            theirs = expected(path)
            if theirs is None:
                continue
            read += 1
            difference = compare(trees[str(path)], theirs)
            if difference is None:
                continue
            bad += 1
            if bad <= SHOWN:
                ours, python = difference
                at = next((i for i, (a, b) in enumerate(zip(ours, python)) if a != b), 0)
                print(f"{path}:\n  ours   ...{ours[max(0, at - 80) : at + 120]}")
                print(f"  python ...{python[max(0, at - 80) : at + 120]}")
    print(f"{read} files compared with Python {sys.version.split()[0]}: {bad} differ")
    return 1 if bad or read == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
