#!/usr/bin/env python3
"""Checks that a log says the same after people copied it: quoted, fenced, wrapped, escaped, glued to other output.

    tests/tools/check_paste_laws.py PROGRAM ROOT [--whole]

The events of a transformed log equal those of the log: kinds, compile ids, functions, places, reasons. Each law states the
logs that it is not for. tests/support/laws.py has the exit status.
"""

from __future__ import annotations

import html
import json
import re
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.laws import Json, Laws, run_laws

MOST_BYTES = 60_000

# Where a line is and when it was written depends on the copy; so does how much of its text a message quotes.
COPIED_FIELDS = {"input", "line", "time", "folded"}

GLOG = re.compile(r"^(\[rank\d+\]:)?[VIWEC]\d{4} [\d:.]+ (\d+ )?\S+\.py:\d+\] ")
LOGGER = re.compile(r"^(\[rank\d+\]:)?\[\d{4}-\d\d-\d\d [\d:,]+\]( \[\d+/\d+(_\d+)?\])? torch[\w.]*: \[[A-Z]+\] ")
RECORD = re.compile(GLOG.pattern + r"\[[^]]*\] \[__(recompiles|graph_breaks)")
BAR = "Epoch 3:  12%|#2        | 12/100 [00:05<00:40,  2.10it/s]"


UTF_16 = (b"\xff\xfe", b"\xfe\xff")

LONG_KINDS = {"recompile", "recompile_limit", "graph_break", "skipped_frame"}

# Logs that were wrapped, flattened or damaged before.
NOT_COPIED = {"ok_flattened.log", "bad_foreign_line_inside.log"}


def text_logs(laws: Laws) -> list[Path]:
    found = sorted((laws.root / "corpora/minimal").glob("*.log"))
    found += sorted((laws.root / "corpora/captured").glob("*/*/log.txt"))
    return [log for log in found if log.stat().st_size < MOST_BYTES and not log.read_bytes().startswith(b"\x1f\x8b")]


def said(result: Json, without: set[str] = COPIED_FIELDS) -> Counter[str]:
    """What the events say, how often each."""
    events = Counter[str]()
    for event in result.get("events", []):
        kept = {key: value for key, value in event.items() if key not in without}
        events[json.dumps(kept, sort_keys=True)] += 1 + event.get("folded", 0)
    return events


def difference(one: Counter[str], other: Counter[str]) -> str:
    return f"lost {list((one - other).elements())[:2]}, new {list((other - one).elements())[:2]}"


def is_prefixed(line: str) -> bool:
    return bool(GLOG.match(line) or LOGGER.match(line))


def all_prefixed(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    return bool(lines) and all(map(is_prefixed, lines))


def quote(text: str, mark: str) -> str:
    return "".join(mark + line for line in text.splitlines(keepends=True))


def wrap(text: str, width: int) -> str:
    pieces = []
    for line in text.splitlines():
        pieces += [line[at : at + width] for at in range(0, max(len(line), 1), width)]
    return "\n".join(pieces) + "\n"


def wrap_at_blanks(text: str, width: int) -> str:
    """As editors and mail programs wrap: at the last blank that fits, which is dropped."""
    pieces = []
    for line in text.splitlines():
        rest = line
        while len(rest) > width:
            at = rest.rfind(" ", 1, width + 1)
            if at <= 0 or not rest[:at].strip():
                break
            pieces.append(rest[:at])
            rest = rest[at + 1 :]
        pieces.append(rest)
    return "\n".join(pieces) + "\n"


def each_line(text: str, change: Callable[[str], str]) -> str:
    return "".join(change(line) + "\n" for line in text.splitlines())


def json_line(line: str) -> str:
    return json.dumps({"severity": "WARNING", "message": line, "logger": "root"})


def csv_row(line: str) -> str:
    doubled = line.replace('"', '""')
    return f'7,"{doubled}",stderr'


def without_time(text: str) -> str:
    """The front of a prefix is often cut away: "W convert_frame.py:1676] [0/8] ..."."""
    return re.sub(r"(?m)^(\[rank\d+\]:)?([VIWEC])\d{4} [\d:.]+ (\d+ )?(\S+/)?(\S+\.py:\d+\] )", r"\1\2 \5", text)


def notebook(text: str) -> str:
    strings = [f"      {json.dumps(line)}" for line in text.splitlines(keepends=True)]
    return '    {\n     "name": "stderr",\n     "output_type": "stream",\n     "text": [\n' + ",\n".join(strings) + "\n     ]\n    }\n"


def container(text: str) -> str:
    rows = [{"log": line, "stream": "stderr", "time": "2026-01-02T10:11:12.345678901Z"} for line in text.splitlines(keepends=True)]
    return "".join(json.dumps(row) + "\n" for row in rows)


def issue(text: str) -> str:
    return f"### Describe the bug\n\nIt is slow.\n\n### Error logs\n\n```shell\n{text}```\n\n### Versions\n\nPyTorch version: N/A\n"


def number_lines(text: str) -> str:
    return "".join(f"{number:4} | {line}" for number, line in enumerate(text.splitlines(keepends=True), 1))


def box(text: str) -> str:
    """As rich prints tracebacks: borders, and blanks up to the right one."""
    lines = text.splitlines()
    width = max(map(len, lines), default=0)
    return "".join(f"\u2502 {line:{width}} \u2502\n" for line in lines)


def markdown(text: str) -> str:
    return re.sub(r"([_*<>\[\]#])", r"\\\1", text)


def has_known_head(text: str) -> bool:
    """Before the first line that only makes sense in one way, a wrap may have been inside of a word."""
    return all_prefixed(text) and bool(re.match(r".*(Recompiling function|Graph break in)", text))


def has_no_open_lines(text: str) -> bool:
    """A print after a paragraph, or after an open bracket, looks like its wrapped rest."""
    open_line = r"(?m)(Developer debug context: |Explanation: |Hint: |type=\w+\($)"
    return all_prefixed(text) and not re.search(open_line, text)


# name: (transformation, whether it is for a log)
Transformation = tuple[Callable[[str], str], Callable[[str], bool]]


def always(_: str) -> bool:
    return True


def has_no_launcher(text: str) -> bool:
    """Labels of srun, docker compose and the like count at the front of a line only."""
    return not re.search(r"(?m)^(\d+: |\S+-\d+ +\| |> )", text)


def shows_labels(text: str) -> bool:
    """A label of unknown form is known by the lines around it."""
    return has_no_launcher(text) and text.count("\n") > 1 and not re.search("(?m)^E   ", text)


TRANSFORMATIONS: dict[str, Transformation] = {
    "quote": (lambda text: quote(text, "> "), has_no_launcher),
    "quote twice": (lambda text: quote(text, "> > "), has_no_launcher),
    "tight quote": (lambda text: quote(text, ">> "), has_no_launcher),
    "fence": (lambda text: f"It is slow:\n\n```\n{text}```\n\nWhy?\n", always),
    "issue": (issue, always),
    "indent": (lambda text: quote(text, "    "), has_no_launcher),
    "windows lines": (lambda text: text.replace("\n", "\r\n"), always),
    "html": (lambda text: html.escape(text), lambda text: "&" not in text),
    "json string": (lambda text: json.dumps({"level": "info", "log": text}) + "\n", always),
    "python string": (lambda text: f"CompletedProcess(returncode=1, stderr={text!r})\n", always),
    "escaped twice": (lambda text: json.dumps({"log": json.dumps({"message": text})}) + "\n", always),
    "notebook": (notebook, always),
    "container": (container, always),
    "timestamps": (lambda text: quote(text, "2026-01-02 10:11:12,345 "), all_prefixed),
    "two timestamps": (lambda text: quote(text, "2026-01-02T10:11:12.345678Z 2026-01-02 10:11:12,345 "), all_prefixed),
    "progress": (lambda text: quote(text, BAR), all_prefixed),
    "windows progress": (lambda text: quote(text, BAR + "\r"), all_prefixed),
    "progress after": (lambda text: text.replace("\n", BAR[8:] + "\n"), all_prefixed),
    "flat": (lambda text: text.replace("\n", " ") + "\n", all_prefixed),
    "blank lines": (lambda text: text.replace("\n", "\n\n"), all_prefixed),
    "wrap 100": (lambda text: wrap(text, 100), all_prefixed),
    "wrap 132": (lambda text: wrap(text, 132), all_prefixed),
    "wrap, quote": (lambda text: quote(wrap(text, 100), "> "), all_prefixed),
    "quote, wrap": (lambda text: wrap(quote(text, "> "), 110), all_prefixed),
    "wrap at blanks": (lambda text: wrap_at_blanks(text, 100), has_known_head),
    "list of lines": (lambda text: f"{text.splitlines()!r}\n", always),
    "html breaks": (lambda text: html.escape(text).replace("\n", "<br>\n"), lambda text: "&" not in text),
    "html code": (lambda text: f"<pre><code>{html.escape(text)}</code></pre>\n", lambda text: "&" not in text),
    "no-break spaces": (lambda text: text.replace("  ", " \u00a0"), always),
    "backticks": (lambda text: each_line(text, lambda line: f"`{line}`" if line else line), lambda text: "`" not in text),
    "json lines": (lambda text: each_line(text, json_line), always),
    "csv": (lambda text: each_line(text, csv_row), all_prefixed),
    "comment": (lambda text: quote(text, "# "), has_no_launcher),
    "tabs": (lambda text: text.replace("    ", "\t"), all_prefixed),
    "prints between": (lambda text: text.replace("\n", "\nepoch 3: loss 0.125\n"), has_no_open_lines),
    "line numbers": (number_lines, shows_labels),
    "unknown label": (lambda text: quote(text, "[job train-7 12:03:44] "), shows_labels),
    "box": (box, shows_labels),
    "lost escapes": (lambda text: each_line(text, lambda line: f"[33m{line}[0m" if line else line), always),
    "markdown": (markdown, lambda text: "\\" not in text and all_prefixed(text)),
    "without time": (without_time, lambda text: all(map(RECORD.match, text.splitlines()))),
}


def copies(laws: Laws) -> None:
    for log in text_logs(laws):
        # The effect of a second copy on a copied log is unknown.
        if log.name in NOT_COPIED or log.name.startswith("ok_paste_"):
            continue
        try:
            text = log.read_text()
        except UnicodeDecodeError:
            continue
        if not text.endswith("\n") or "\r" in text or "\0" in text:
            continue
        names = [name for name in TRANSFORMATIONS if laws.sampled(f"{name} {log.parent.name} {log.name}", 24)]
        plain = None
        for name in names:
            transform, is_for = TRANSFORMATIONS[name]
            if not is_for(text):
                continue
            if plain is None:
                result = laws.lint("--events", "-", text=text.encode())
                if [entry["format"] for entry in result.get("inputs", [])] != ["torch-log"]:
                    break
                plain = said(result)
            copy = said(laws.lint("--events", "-", text=transform(text).encode()))
            if "wrap" in name:
                copy, expected = of_long_messages(copy), of_long_messages(plain)
            else:
                expected = plain
            if "at blanks" in name:
                copy, expected = without_blanks(copy), without_blanks(expected)
            laws.expect(copy == expected, name, f"{log.parent.name}/{log.name}: {difference(expected, copy)}")


def of_long_messages(events: Counter[str]) -> Counter[str]:
    """Without messages of one line: nothing shows that the first of them was wrapped, and a print of the program may follow.
    Without names of resume functions, which a wrap may split."""
    return Counter({text: count for text, count in events.items() if json.loads(text)["kind"] in LONG_KINDS})


def without_blanks(events: Counter[str]) -> Counter[str]:
    """Inside of code and prose, nothing shows whether a blank was removed where a line was wrapped."""
    stripped = Counter[str]()
    for text, count in events.items():
        stripped["".join(text.split())] += count
    return stripped


def cuts(laws: Laws) -> None:
    """What a log says up to a line is what the whole log says, apart from the last record, which is marked as cut if it is
    incomplete, and from what is implied where no record says it."""
    implied = {"implied_recompile", "implied_break"}
    for log in text_logs(laws):
        if not laws.sampled(f"cut {log.parent.name} {log.name}", 24):
            continue
        try:
            lines = log.read_text().splitlines(keepends=True)
        except UnicodeDecodeError:
            continue
        whole = laws.lint("--events", "-", text="".join(lines).encode())
        texts = [json.dumps({k: v for k, v in e.items() if k not in COPIED_FIELDS}, sort_keys=True) for e in whole.get("events", [])]
        for at in range(1, len(lines), max(1, len(lines) // (40 if laws.whole else 5))):
            part = laws.lint("--events", "-", text="".join(lines[:at]).encode()).get("events", [])
            invented = [
                event
                for event in part
                if event["kind"] not in implied
                and not event.get("cut")
                and json.dumps({k: v for k, v in event.items() if k not in COPIED_FIELDS}, sort_keys=True) not in texts
                and event["line"] != part[-1]["line"]  # a record may state several
            ]
            laws.expect(not invented, "cut", f"{log.parent.name}/{log.name} at line {at}: {str(invented)[:300]}")


def pairs(laws: Laws) -> None:
    """Two logs of text in one file say what both say. A traceback is printed again at many places and counts once; what is
    implied depends on all records; whether a record is cut may depend on the end of the file."""
    once = {"implied_recompile", "implied_break", "compile_error", "constraint_violation"}

    def apart(result: Json) -> Counter[str]:
        events = [e for e in result.get("events", []) if e["kind"] not in once and not e.get("fatal")]
        return said({"events": events}, COPIED_FIELDS | {"cut"})

    names = [log for log in text_logs(laws) if log.name.startswith("ok_") and not log.read_bytes().startswith(UTF_16)]
    names = [log for log in names if not log.name.startswith("ok_trace_")]  # traces of TORCH_TRACE are files of their own
    order = sorted(names, key=lambda log: zlib.crc32(log.name.encode()))
    for one, other in zip(order, order[1:], strict=False):
        if not laws.sampled(one.name + other.name, 16):
            continue
        texts = [log.read_bytes() for log in (one, other)]
        both = apart(laws.lint("--events", "-", text=texts[0] + b"\n\n" + texts[1]))
        each = sum((apart(laws.lint("--events", "-", text=text)) for text in texts), Counter[str]())
        laws.expect(both == each, "two logs", f"{one.name}, {other.name}: {difference(each, both)}")


if __name__ == "__main__":
    sys.exit(run_laws("check_paste_laws", [copies, cuts, pairs]))
