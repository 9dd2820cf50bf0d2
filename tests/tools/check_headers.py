#!/usr/bin/env python3
"""Public headers say what they are: a sentence at their head, a docstring for each declaration.

    tests/tools/check_headers.py ROOT

Public are those of include/, and those of modules that other modules include. Every type, function and constant that
stands in a namespace has a `///` comment right above it, but for VisitFields, which the head of its header describes.
A declaration right below another one, without an empty line between them, shares its comment. Exit status: 0 all have
one, 1 some have not.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

TYPE = re.compile(r"^(?:class|struct|enum class|enum) (?!\w+;)(\w+)[^;]*[{;]?$")
FUNCTION = re.compile(r"^(?:\[\[nodiscard\]\] )?(?:template <.*> )?[\w:<>,&*\[\] ]+?[ &*]([\w~]+)\(")
CONSTANT = re.compile(r"^inline constexpr [^=]*?\b(k[A-Z]\w+)\b")
NO_FUNCTION = re.compile(r"^(?:return|if|for|while|switch|using|static_assert|typedef|friend|template|namespace|(?:constexpr )?void VisitFields|SHAPEWISE_|#)")


def depth_change(line: str) -> int:
    code = re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\'', "", line.split("//")[0])
    return code.count("{") - code.count("}")


def undocumented(path: Path) -> list[tuple[int, str]]:
    """Lines of declarations without a comment, with their names."""
    lines = path.read_text(encoding="utf-8").splitlines()
    faults = []
    if not lines[0].startswith("// "):
        faults.append((1, "the header itself"))
    inner: list[str] = []  # names of namespaces that are open
    depth = 0
    for number, line in enumerate(lines):
        if re.match(r"^namespace [\w:]*\s*\{$", line):
            inner.append(line)
            depth = 0
            continue
        if re.match(r"^\}  // namespace", line):
            inner.pop()
            continue
        is_internal = any("_internal" in name for name in inner)
        at_top = inner and depth == 0 and not is_internal and not line.startswith((" ", "}", "//", "#"))
        depth += depth_change(line)
        if not at_top or not line.strip():
            continue
        if NO_FUNCTION.match(line):
            continue
        found = TYPE.match(line) or CONSTANT.match(line) or FUNCTION.match(line)
        if found is None:
            continue
        above = number - 1
        while above >= 0 and lines[above].startswith("template <"):
            above -= 1
        before = lines[above].strip() if above >= 0 else ""
        if before.startswith("///") or "///<" in line:
            continue
        if before and not before.startswith(("//", "#", "}")) and before.endswith((";", "}")):
            continue  # shares the comment of the line above it
        faults.append((number + 1, found.group(1)))
    return faults


def public_headers(root: Path) -> list[Path]:
    """The headers of the library, and those of modules that other modules include."""
    headers = set((root / "include").rglob("*.h"))
    for path in (root / "analyzer").rglob("*"):
        if path.suffix not in (".cc", ".h"):
            continue
        module = path.relative_to(root / "analyzer").parts[0]
        for included in re.findall(r'^#include "(\w+)/([\w/]+\.h)"$', path.read_text(encoding="utf-8"), re.MULTILINE):
            header = root.joinpath("analyzer", *included)
            if included[0] != module and header.is_file():
                headers.add(header)
    return sorted(headers)


def main() -> int:
    root = Path(sys.argv[1])
    count = 0
    for path in public_headers(root):
        for line, name in undocumented(path):
            print(f"{path.relative_to(root)}:{line}: {name} has no docstring")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
