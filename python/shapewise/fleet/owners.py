"""Who owns a path: CODEOWNERS files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from .errors import FleetError

__all__ = ["Owners"]


class Owners:
    """Patterns with their owners; the last one that matches wins."""

    def __init__(self, rows: Iterable[str]) -> None:
        self._rules: list[tuple[re.Pattern[str], tuple[str, ...]]] = []
        for row in rows:
            words = re.split(r"(?<!\\)\s+", row.partition("#")[0].strip())
            # GitLab groups its rows under headings in brackets.
            if words[0] and not words[0].startswith(("[", "^[")):
                pattern = words[0].replace("\\ ", " ")
                self._rules.append((re.compile(_expression(pattern)), tuple(words[1:])))

    @classmethod
    def of_file(cls, path: str) -> Owners:
        """Reads a file. Raises FleetError if it cannot be read."""
        try:
            return cls(Path(path).read_text(encoding="utf-8").splitlines())
        except (OSError, UnicodeDecodeError) as error:
            raise FleetError(f"{path}: {error}") from error

    def of(self, path: str | None) -> tuple[str, ...]:
        """The owners of `path`; empty if no pattern matches, or if the last match has no owners."""
        if path is None:
            return ()
        plain = path.replace("\\", "/")
        for expression, owners in reversed(self._rules):
            if expression.search(plain):
                return owners
        return ()


def _expression(pattern: str) -> str:
    """A pattern may begin at any folder: the place of the repository is not known."""
    text = ""
    for piece in re.split(r"(\*\*/|/\*\*$|\*\*|\*|\?)", pattern.strip("/")):
        text += {
            "**/": "(?:.*/)?",
            "/**": "/.*",
            "**": ".*",
            "*": "[^/]*",
            "?": "[^/]",
        }.get(piece, re.escape(piece))
    return f"(?:^|/){text}(?:/|$)"
