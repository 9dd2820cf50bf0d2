"""A fleet as JSON, as text, as Parquet."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from .errors import import_extra
from .table import CauseRow, Fleet

__all__ = ["json_text", "plain_text", "write_parquet"]

SHOWN_ROWS = 20
SHOWN_MESSAGE = 100


def json_text(document: dict[str, Any]) -> str:
    """A document with one line for each row of a list."""
    members = []
    for name, value in document.items():
        if isinstance(value, list) and value:
            rows = ",\n  ".join(_compact(row) for row in value)
            members.append(f'"{name}":[\n  {rows}\n]')
        else:
            members.append(f'"{name}":{_compact(value)}')
    return "{\n" + ",\n".join(members) + "\n}\n"


def _compact(value: Any) -> str:
    # Bytes of a path that are not UTF-8 stay escaped, so that the text can be written anywhere.
    return json.dumps(value, separators=(",", ":"))


def plain_text(fleet: Fleet, every: bool) -> str:
    """The table as text."""
    parts = ["\n".join(_headline(fleet.summary))]
    limit = None if every else SHOWN_ROWS
    if fleet.causes:
        causes = [_cause_cells(row) for row in fleet.causes[:limit]]
        heads: tuple[str, ...] = ("GPU h", "jobs", "ranks", "events", "rule", "cause")
        parts.append(_table(heads, causes, right=4) + _more(fleet.causes, limit, "cause"))
    if fleet.owners:
        owned = [
            (_hours(row.gpu_seconds), _count(row.jobs), _count(row.causes), row.owner)
            for row in fleet.owners[:limit]
        ]
        heads = ("GPU h", "jobs", "causes", "owner")
        parts.append(_table(heads, owned, right=3) + _more(fleet.owners, limit, "owner"))
    if fleet.failures:
        lines = [f"  {_line(row.job)}: {_line(row.message)}" for row in fleet.failures[:limit]]
        given = "\n".join(["Failures", *lines])
        parts.append(given + _more(fleet.failures, limit, "failure"))
    return "\n\n".join(parts) + "\n"


def _headline(summary: dict[str, Any]) -> Iterable[str]:
    jobs = [f"{_count(summary['complete'])} complete"]
    jobs += [
        f"{_count(summary[name])} {name}" for name in ("incomplete", "failed") if summary[name]
    ]
    line = f"{_counted(summary['jobs'], 'job')}: {', '.join(jobs)}"
    if summary["ranks"] is not None:
        line += f"; {_counted(summary['ranks'], 'rank')}"
    yield line
    line = _counted(summary["causes"], "cause")
    if summary["lost_gpu_hours"] is not None:
        line += f"; {summary['lost_gpu_hours']:,.2f} GPU hours lost"
    if summary["compile_gpu_hours"] is not None:
        line += f", {summary['compile_gpu_hours']:,.2f} GPU hours compiling in all"
    yield line


def _cause_cells(row: CauseRow) -> tuple[str, ...]:
    place = ":".join(str(part) for part in (row.file, row.line) if part is not None)
    if row.function is not None:
        place = f"{row.function} ({place})" if place else row.function
    message = _line(row.message)
    if len(message) > SHOWN_MESSAGE:
        message = message[: SHOWN_MESSAGE - 3] + "..."
    cells = [message, *([_line(place)] if place else []), *row.owners]
    return (
        _hours(row.gpu_seconds),
        _count(row.jobs),
        _count(row.ranks),
        _count(row.events),
        row.rule,
        " | ".join(cells),
    )


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]], right: int) -> str:
    """Columns under their heads; the first `right` ones are numbers."""
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    lines = []
    for row in [heads, *rows]:
        cells = [
            cell.rjust(width) if i < right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _more(rows: Sequence[object], limit: int | None, noun: str) -> str:
    if limit is None or len(rows) <= limit:
        return ""
    return f"\n{_counted(len(rows) - limit, noun)} more: --all"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _hours(seconds: float | None) -> str:
    return "?" if seconds is None else f"{seconds / 3600:,.2f}"


def _line(text: str) -> str:
    """Text from a log, harmless for a terminal."""
    return "".join(each if each.isprintable() else "?" for each in text)


# Column and type, by the names of pyarrow's type functions.
COLUMNS = (
    *(("row", "string"), ("rule", "string"), ("name", "string"), ("severity", "string")),
    *(("kind", "string"), ("fingerprint", "string"), ("message", "string")),
    *(("function", "string"), ("file", "string"), ("line", "int64"), ("places", "int64")),
    *(("jobs", "int64"), ("example_jobs", "list"), ("ranks", "int64"), ("events", "int64")),
    *(("gpu_seconds", "float64"), ("owners", "list")),
)


def write_parquet(fleet: Fleet, path: str) -> None:
    """Rows of causes, then of failures; `row` distinguishes them. A failure has its job and its
    message, the rest is null.
    """
    pyarrow = import_extra("pyarrow", "fleet")
    parquet = import_extra("pyarrow.parquet", "fleet")
    rows: list[dict[str, Any]] = [{"row": "cause", **vars(row)} for row in fleet.causes]
    rows += [
        {"row": "failure", "jobs": 1, "example_jobs": [row.job], "message": row.message}
        for row in fleet.failures
    ]
    types = {
        "string": pyarrow.string(),
        "int64": pyarrow.int64(),
        "float64": pyarrow.float64(),
        "list": pyarrow.list_(pyarrow.string()),
    }
    schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS])
    columns = {name: [_plain(row.get(name)) for row in rows] for name, _ in COLUMNS}
    parquet.write_table(pyarrow.table(columns, schema=schema), path, compression="zstd")


def _plain(value: Any) -> Any:
    """A value for Arrow: file names may not be UTF-8."""
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
