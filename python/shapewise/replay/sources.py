"""Names of inputs: as in the program (x, batch['ids'][0]) or as in guards (L['x'])."""

from __future__ import annotations

import ast
import re
from collections.abc import Container

from .errors import ReplayError

__all__ = ["argument_name", "guard_source", "path_of", "place_of"]


def path_of(name: str) -> tuple[str | int, ...]:
    """The argument that `name` begins with, then indices and keys: ("batch", "ids", 0).

    Raises ReplayError if it is no part of an argument.
    """
    try:
        node = ast.parse(name.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise ReplayError(f"'{name}' is no name of an input") from None
    steps: list[str | int] = []
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        step = node.slice.value
        if not isinstance(step, str | int) or isinstance(step, bool):
            break
        steps.append(step)
        node = node.value
    if not isinstance(node, ast.Name):
        raise ReplayError(f"'{name}' is no argument, nor a part of one: attributes are not changed")
    if node.id == "L":
        if not steps or not isinstance(steps[-1], str):
            raise ReplayError(f"'{name}' names no argument: L['x']")
    else:
        steps.append(node.id)
    return tuple(reversed(steps))


def guard_source(name: str) -> str:
    """`name` as guards spell it: L['x'][0]. Names that begin with L[ or G[ are not changed."""
    name = name.strip()
    if re.match(r"[LG]\[", name):
        return name.replace('"', "'")
    match = re.match(r"\w+", name)
    return f"L['{match[0]}']{name[match.end() :]}".replace('"', "'") if match else name


def argument_name(name: str) -> str:
    """A Python identifier for an input: x for L['x'], self_cache for self.cache."""
    source = guard_source(name)
    match = re.fullmatch(r"L\['(\w+)'\]", source)
    if match:
        return match[1]
    inner = re.sub(r"^L\['(\w+)'\]", r"\1", source)
    return re.sub(r"\W+", "_", inner).strip("_") or "input"


def place_of(name: str, arguments: Container[str]) -> tuple[str | int, ...]:
    """The place of an input among `arguments`: one of them, or a part of one.

    A captured graph takes attributes as arguments: self_cache for self.cache. Raises ReplayError
    if it is neither.
    """
    whole = argument_name(name)
    return (whole,) if whole in arguments else path_of(name)
