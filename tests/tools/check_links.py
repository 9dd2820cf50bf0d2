#!/usr/bin/env python3
"""Check that every relative link in a Markdown file of the tree points to a file, and every anchor to a heading.
The index of the documentation must list every page in its folder.

    check_links.py ROOT

Exit status: 0 if there is no fault, 1 if there is one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

LINK = re.compile(r"\[[^\]\n]*\]\(([^()\s]+)\)")
INDEX = Path("analyzer/docs/README.md")
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:")


def markdown_files(root: Path) -> list[Path]:
    """Markdown files of the tree, without those that git ignores."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    listed = subprocess.run(command, cwd=root, capture_output=True, text=True)
    if listed.returncode == 0:
        found = [root / name for name in listed.stdout.splitlines()]
    else:
        found = [path for path in root.rglob("*.md") if "build" not in path.relative_to(root).parts]
    return sorted(path for path in found if path.is_file())


def prose(text: str) -> str:
    """The text with code blanked out and its lines kept."""
    text = re.sub(r"^( *)(```|~~~).*?^\1\2`*$", lambda m: "\n" * m.group().count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[^`\n]*`", "", text)


@cache
def anchors_of(path: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    counts: dict[str, int] = {}
    anchors = set()
    for heading in re.findall(r"^#{1,6} +(.*?) *#*$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        number = counts.get(anchor, 0)
        counts[anchor] = number + 1
        anchors.add(anchor if number == 0 else f"{anchor}-{number}")
    return frozenset(anchors)


def faults_of(path: Path, root: Path) -> list[str]:
    """Links of one page that do not resolve."""
    faults = []
    for number, line in enumerate(prose(path.read_text(encoding="utf-8", errors="replace")).splitlines(), 1):
        for link in LINK.findall(line):
            if ELSEWHERE.match(link):
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name).resolve() if name else path
            place = f"{path.relative_to(root)}:{number}"
            if not target.exists():
                faults.append(f"{place}: there is no {link}")
            elif anchor and target.suffix == ".md" and anchor not in anchors_of(target):
                faults.append(f"{place}: no heading has the anchor of {link}")
    return faults


def unlisted(root: Path, pages: list[Path]) -> list[str]:
    """Pages of the documentation that its index does not list."""
    index = root / INDEX
    links = LINK.findall(prose(index.read_text(encoding="utf-8")))
    listed = {(index.parent / link.partition("#")[0]).resolve() for link in links if not ELSEWHERE.match(link)}
    missing = [page for page in pages if page.is_relative_to(index.parent) and page != index and page not in listed]
    return [f"{INDEX}: does not list {page.relative_to(root)}" for page in missing]


def main() -> int:
    root = Path(sys.argv[1]).resolve()
    pages = markdown_files(root)
    faults = [fault for page in pages for fault in faults_of(page, root)]
    faults += unlisted(root, pages)
    for fault in faults:
        print(fault)
    print(f"{len(pages)} pages, {len(faults)} faults")
    return 1 if faults or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
