"""Policies as people write them: "buckets(x, 1, 64|128) + mark_static(x, 1) + limit 16".

The words are those of `shapewise predict --policy`; `eager` and `backend=` are known, too.
"""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Any

from .errors import ReplayError, did_you_mean
from .padded_dims import fill_of_text, padded_dim_of_text
from .policy import Policy, policy_of_json
from .serving import span_of_text
from .settings import setting_of_text
from .sources import guard_source

__all__ = ["parse_policy"]

MARKS = {
    "mark_dynamic": "dynamic",
    "maybe_mark_dynamic": "maybe",
    "mark_static": "static",
    "mark_unbacked": "unbacked",
}
RANGED = ("mark_dynamic", "mark_unbacked")
SHAPE_OPTIONS = ("use_duck_shape", "backed_size_oblivious")
OPTIONS = (
    *("dynamic", "fullgraph", "mode", "backend", "dynamic_sources", "unbacked_sources"),
    "float32_matmul_precision",
)
FILL = "fill="
INDUCTOR_PREFIX = "inductor."
WORDS = (*MARKS, *OPTIONS, *SHAPE_OPTIONS, "as-is", "buckets", "serve", "limit", "isolate", "eager")


def parse_policy(text: str) -> Policy:
    """Reads one policy: parts joined by '+' or ','. Raises ReplayError, which names the part."""
    value: dict[str, Any] = {
        "marks": [],
        "buckets": [],
        "config": {},
        "shape_config": {},
        "inductor": {},
    }
    for part in _split(text, "+,"):
        if not part:
            raise ReplayError(f'policy "{text}": a part is missing')
        try:
            _read_part(part, value)
        except ReplayError as error:
            raise ReplayError(f'policy "{text}", part "{part}": {error}') from None
    return policy_of_json(value)


def _read_part(part: str, value: dict[str, Any]) -> None:
    call = re.fullmatch(r"([\w-]+)\s*\((.*)\)", part)
    if call:
        _read_call(call[1], _split(call[2], ","), value)
        return
    named = re.fullmatch(r"([\w.-]+)\s*(?:=\s*|\s+|$)(.*)", part)
    if not named:
        raise ReplayError("it is no word, call, or NAME=VALUE")
    word, given = named[1], named[2].strip()
    if word in ("as-is", "as_is") or (word == "as" and given == "is"):
        return
    if word == "limit":
        value["config"]["recompile_limit"] = _integer(given)
    elif word in ("isolate", "eager", "fullgraph"):
        value[word] = given != "False"
    elif word == "isolate_recompiles":
        value["isolate"] = given != "False"
    elif word in ("dynamic_sources", "unbacked_sources"):
        sources = ",".join(guard_source(source) for source in _split(_unquoted(given), ","))
        value[word] = ",".join(filter(None, (value.get(word, ""), sources)))
    elif "=" not in part:
        raise ReplayError(f"'{word}' is not known{did_you_mean(word, WORDS)}")
    elif word.startswith(INDUCTOR_PREFIX):
        value["inductor"][word.removeprefix(INDUCTOR_PREFIX)] = setting_of_text(_unquoted(given))
    elif word in OPTIONS:
        value[word] = _literal(given)
    else:
        value["shape_config" if word in SHAPE_OPTIONS else "config"][word] = _literal(given)


def _read_call(word: str, arguments: list[str], value: dict[str, Any]) -> None:
    if word == "limit" and len(arguments) == 1:
        value["config"]["recompile_limit"] = _integer(arguments[0])
        return
    if word not in MARKS and word not in ("buckets", "serve"):
        raise ReplayError(f"'{word}' is not known{did_you_mean(word, WORDS)}")
    together = list(takewhile(bool, map(padded_dim_of_text, arguments)))
    if word == "serve" and together:
        _read_serving(together, arguments[len(together) :], value)
        return
    if word == "buckets" and together:
        _read_shapes(together, arguments[len(together) :], value)
        return
    if len(arguments) < 2 or not arguments[0]:
        raise ReplayError("expected a tensor and a dim, as in (x, 0)")
    dims = _integers(arguments[1])
    if word == "serve":
        if len(dims) != 1:
            raise ReplayError("expected one dim; write several as serve(x:0, y:0, ...)")
        _read_serving([{"arg": arguments[0], "dim": dims[0]}], arguments[2:], value)
        return
    if word == "buckets":
        given: dict[str, Any] = {"arg": arguments[0], "sizes": []}
        for argument in arguments[2:]:
            if argument.startswith(FILL):
                given["fill"] = fill_of_text(argument.removeprefix(FILL))
            else:
                given["sizes"] += _integers(argument)
        value["buckets"] += [{**given, "dim": dim} for dim in dims]
        return
    if len(arguments) > (4 if word in RANGED else 2):
        raise ReplayError(f"{word} does not take so many arguments")
    bounds: dict[str, int] = {}
    for position, argument in enumerate(arguments[2:]):
        name, equals, bound = argument.partition("=")
        name = name.strip() if equals else ("min", "max")[position]
        if name not in ("min", "max"):
            raise ReplayError(f"'{argument}' is no bound: min=N or max=N")
        if (bound if equals else argument).strip() != "None":
            bounds[name] = _integer(bound if equals else argument)
    value["marks"] += [
        {"arg": arguments[0], "dim": dim, "kind": MARKS[word], **bounds} for dim in dims
    ]


def _read_serving(dims: list[Any], arguments: list[str], value: dict[str, Any]) -> None:
    if value.get("serve"):
        raise ReplayError("a policy serves sizes once")
    _check_apart(dims)
    spans = [span_of_text(span) for given in arguments for span in _split(given, "|")]
    value["serve"] = {**dims[0], "also": dims[1:], "spans": spans}


def _check_apart(dims: list[Any]) -> None:
    places = [(guard_source(dim["arg"]), dim["dim"]) for dim in dims]
    if len(set(places)) < len(places):
        raise ReplayError("a dim is named twice")


def _read_shapes(dims: list[Any], arguments: list[str], value: dict[str, Any]) -> None:
    if value.get("shapes"):
        raise ReplayError("a policy has one list of shapes")
    _check_apart(dims)
    given = [shape for argument in arguments for shape in _split(argument, "|")]
    sizes = [[_integer(size) for size in shape.split("x")] for shape in given]
    value["shapes"] = {"dims": dims, "sizes": sizes}


def _split(text: str, separators: str) -> list[str]:
    """Pieces between separators outside of brackets and quotes."""
    pieces = [""]
    depth, quote = 0, ""
    for char in text:
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= depth > 0
        elif char in separators and depth == 0:
            pieces.append("")
            continue
        pieces[-1] += char
    return [piece.strip() for piece in pieces]


def _unquoted(text: str) -> str:
    is_quoted = len(text) >= 2 and text[0] == text[-1] and text[0] in "'\""
    return text[1:-1] if is_quoted else text


def _literal(text: str) -> bool | int | str | None:
    words: dict[str, bool | None] = {"True": True, "False": False, "None": None}
    if text in words:
        return words[text]
    return int(text) if re.fullmatch(r"-?\d+", text) else _unquoted(text)


def _integer(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ReplayError(f"'{text}' is no number") from None


def _integers(text: str) -> list[int]:
    parts = re.split(r"[|,\s]+", text.strip().strip("[]()").strip())
    return [_integer(part) for part in parts if part]
