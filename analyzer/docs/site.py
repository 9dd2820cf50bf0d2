#!/usr/bin/env python3
"""Prepares the documentation site: `./dev docs` calls it and then runs mkdocs.

    site.py ROOT OUT

Copies the Markdown pages of the tree and the files that they link to into OUT/pages, adds a page
for each group of rules, and writes OUT/mkdocs.yml. The navigation has the sections of
analyzer/docs/README.md, so a new page needs only its row there.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from pathlib import Path

INDEX = "analyzer/docs/README.md"
# Pages of the site, relative to the root of the tree.
PAGES = ("*.md", "analyzer/docs/**/*.md", "rules/*.md", "rules/*/*.md", "corpora/README.md")
# Output of the program is up to 100 columns wide.
STYLE = ".md-grid { max-width: 78rem; }\n"
FEATURES = (
    "navigation.tabs",
    "navigation.prune",
    "navigation.indexes",
    "navigation.top",
    "content.code.copy",
    "search.suggest",
)
LINK = re.compile(r"\[([^\]\n]*)\]\(([^()\s#]+)(?:#[^()\s]*)?\)")


def staged_pages(root: Path, pages: Path) -> list[str]:
    """Copy all pages, and the files other than pages that they link to."""
    names = sorted(
        {str(path.relative_to(root)) for pattern in PAGES for path in root.glob(pattern)}
    )
    for name in names:
        text = (root / name).read_text(encoding="utf-8")
        target = pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        for _, link in LINK.findall(text):
            linked = (root / name).parent / link
            if "://" not in link and linked.suffix != ".md" and linked.is_file():
                copy = pages / linked.resolve().relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(linked, copy)
    return names


def head_of(path: Path) -> tuple[str, str]:
    """The heading and the first sentence of a rule."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return lines[0].removeprefix("# "), next((line for line in lines[1:] if line.strip()), "")


def rule_navigation(pages: Path) -> list[object]:
    """Write a page for each group of rules; return the groups with their rules."""
    groups: list[object] = ["rules/README.md"]
    for folder in sorted(path for path in (pages / "rules").iterdir() if path.is_dir()):
        rules = sorted(folder.glob("*.md"))
        if not rules:
            continue
        rows = [f"| [{head_of(rule)[0]}]({rule.name}) | {head_of(rule)[1]} |" for rule in rules]
        table = ["| rule | about |", "| --- | --- |", *rows]
        (folder / "index.md").write_text(
            f"# Rules: {folder.name}\n\n" + "\n".join(table) + "\n", encoding="utf-8"
        )
        names = [str(path.relative_to(pages)) for path in (folder / "index.md", *rules)]
        groups.append({folder.name: names})
    return groups


def navigation(root: Path, pages: Path, names: list[str]) -> list[object]:
    """The sections of the index with their pages, then the rules, then all other pages."""
    text = (root / INDEX).read_text(encoding="utf-8")
    sections: list[object] = [{"Home": ["README.md", INDEX, "CHANGELOG.md"]}]
    listed = {"README.md", INDEX, "CHANGELOG.md", "rules/README.md"}
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        found = []
        for _, link in LINK.findall(body):
            name = str(((root / INDEX).parent / link).resolve().relative_to(root))
            if name in names and name not in listed:
                listed.add(name)
                found.append(name)
        sections.append({title: found})
    sections.append({"Rules": rule_navigation(pages)})
    rest = [name for name in names if name not in listed and not name.startswith("rules/")]
    return [*sections, {"More": rest}] if rest else sections


def scheme(color: str, name: str, icon: str, other: str) -> dict[str, object]:
    """A color scheme that follows the system, with a switch to the other one."""
    toggle = {"icon": f"material/{icon}", "name": f"Switch to {other}"}
    return {"media": f"(prefers-color-scheme: {color})", "scheme": name, "toggle": toggle}


def settings_of(out: Path, nav: list[object]) -> dict[str, object]:
    """The settings of mkdocs."""
    return {
        "site_name": "shapewise",
        "docs_dir": str(out / "pages"),
        "site_dir": str(out / "site"),
        # Without fonts from elsewhere, pages fetch only files of the site.
        "theme": {
            "name": "material",
            "font": False,
            "features": list(FEATURES),
            "palette": [
                scheme("light", "default", "weather-night", "dark"),
                scheme("dark", "slate", "weather-sunny", "light"),
            ],
        },
        "extra_css": ["site.css"],
        "plugins": ["search"],
        "markdown_extensions": [
            "tables",
            "fenced_code",
            "sane_lists",
            {"toc": {"permalink": True}},
        ],
        "validation": {
            "links": {"not_found": "warn", "anchors": "warn"},
            "nav": {"omitted_files": "warn", "not_found": "warn"},
        },
        "nav": nav,
    }


def main() -> int:
    root, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    pages = out / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    names = staged_pages(root, pages)
    (pages / "site.css").write_text(STYLE, encoding="utf-8")
    settings = settings_of(out, navigation(root, pages, names))
    # JSON is YAML as well.
    (out / "mkdocs.yml").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    print(f"{len(names)} pages in {pages}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
