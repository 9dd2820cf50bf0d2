#!/usr/bin/env python3
"""Opens pages of `shapewise report` in a real browser: they render, filter and sort, and load nothing.

    tests/browser/check_page.py PROGRAM CORPORA FOLDER

Screenshots are kept in FOLDER. Exit status: 0 all is well, 1 it is not, 77 there is no Chromium; Debian's package
chromium has it, and CHROMIUM=PATH names one that is not on the PATH.
"""

from __future__ import annotations

import base64
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from chromium import Chromium, find_chromium
from make_trace import write_trace

MAX_PAGE_BYTES = 4_000_000
MAX_NODES = 8_000
MAX_DRAWN_NODES = 1_000
HOSTILE = "</script><script>window.intruder = 1</script><img src=x onerror='window.intruder = 1'>"

failures: list[str] = []


def check(is_true: bool, what: str) -> None:
    if not is_true:
        failures.append(what)
        print(f"not so: {what}", file=sys.stderr)


def write_page(program: str, inputs: list[Path], page: Path) -> None:
    command = [program, "report", "--exit-zero", "-o", str(page), *map(str, inputs)]
    start = time.monotonic()
    subprocess.run(command, check=True, timeout=300)
    print(
        f"{page.name}: {page.stat().st_size / 1e6:.2f} MB, written in {time.monotonic() - start:.2f} s"
    )


def rows_of(browser: Chromium, table: str) -> int:
    return int(browser.evaluate(f"document.querySelectorAll('#{table} tbody > tr').length"))


def open_page(browser: Chromium, page: Path) -> None:
    start = time.monotonic()
    browser.open(page)
    print(f"{page.name}: shown in {time.monotonic() - start:.2f} s, {nodes_of(browser)} nodes")


def nodes_of(browser: Chromium) -> int:
    return int(browser.evaluate("document.getElementsByTagName('*').length"))


def check_quiet(browser: Chromium, page: Path) -> None:
    check(browser.troubles() == [], f"{page.name}: nothing on the console: {browser.troubles()}")
    own = page.resolve().as_uri()
    others = [url for url in browser.requests() if url.split("#")[0] != own]
    check(others == [], f"{page.name}: nothing is asked for: {others}")
    check(len(browser.requests()) > 0, f"{page.name}: requests are seen at all")


def check_sections(browser: Chromium, page: Path) -> None:
    sections = ["verdict", "timeline", "causes", "sizes", "what-if", "guards", "eager", "gaps"]
    found = browser.evaluate(
        "[...document.querySelectorAll('main > section')].map(section => section.id)"
    )
    check(found == sections, f"{page.name}: all sections are there: {found}")
    wide = browser.evaluate(
        "document.documentElement.scrollWidth > document.documentElement.clientWidth"
    )
    check(not wide, f"{page.name}: nothing is wider than the window")
    unnamed = browser.evaluate(
        "[...document.querySelectorAll('svg')].filter(svg => !svg.querySelector('title')).length"
    )
    check(unnamed == 0, f"{page.name}: every drawing has a title")
    bare = browser.evaluate(
        "[...document.querySelectorAll('table')].filter(table => !table.caption).length"
    )
    check(bare == 0, f"{page.name}: every table has a caption")
    ids = browser.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
    check(len(ids) == len(set(ids)), f"{page.name}: ids are used once")


def column(browser: Chromium, table: str, number: int) -> list[str]:
    found: list[str] = browser.evaluate(
        f"[...document.querySelectorAll('#{table} tbody > tr')].map(row => row.cells[{number}].textContent)"
    )
    return found


def head(table: str, number: int) -> str:
    return f"document.querySelector('#{table} thead tr').cells[{number}]"


def check_sort(browser: Chromium, table: str, number: int) -> None:
    """The column with numbers goes up, then down: by a click, and by Enter with the focus on it."""

    def values() -> list[float]:
        return [float(text.split()[-1]) for text in column(browser, table, number)]

    browser.evaluate(f"{head(table, number)}.querySelector('button').click()")
    up = values()
    check(up == sorted(up), f"{table}: sorted upwards")
    check(
        browser.evaluate(f"{head(table, number)}.getAttribute('aria-sort')") == "ascending",
        f"{table}: says so",
    )
    browser.evaluate(f"{head(table, number)}.querySelector('button').focus()")
    browser.press("Enter")
    down = values()
    check(down == sorted(down, reverse=True), f"{table}: sorted downwards by Enter")
    check(
        browser.evaluate(f"{head(table, number)}.getAttribute('aria-sort')") == "descending",
        f"{table}: says so, too",
    )


def type_into(browser: Chromium, controls: str, text: str) -> None:
    browser.evaluate(f"document.querySelector('{controls} input[type=search]').focus()")
    browser.evaluate("document.activeElement.select()")
    browser.type(text)


def select(browser: Chromium, controls: str, label: str, value: str) -> None:
    browser.evaluate(
        f"""(() => {{
          const label = [...document.querySelectorAll('{controls} label')].find(one => one.textContent.startsWith('{label}'));
          const select = label.querySelector('select');
          select.value = '{value}';
          select.dispatchEvent(new Event('change'));
        }})()"""
    )


def chosen(browser: Chromium) -> str:
    return str(browser.evaluate("document.getElementById('timeline-chosen').textContent"))


def check_timeline(browser: Chromium, page: Path) -> None:
    """Keys go from mark to mark, from lane to lane, and zoom."""
    check(rows_of_svg(browser) > 0, f"{page.name}: the timeline is drawn")
    scale = browser.evaluate(
        "(svg => svg.clientWidth / svg.viewBox.baseVal.width)(document.querySelector('svg.timeline'))"
    )
    check(0.9 < scale < 1.1, f"{page.name}: its letters are as large as others: {scale}")
    browser.evaluate("document.querySelector('svg.timeline').focus()")
    told = []
    for key in ("ArrowRight", "ArrowRight", "ArrowDown", "+", "+", "-", "Home"):
        browser.press(key)
        told.append(chosen(browser))
    check(told[0] != "" and told[1] != told[0], f"{page.name}: right goes on: {told[:2]}")
    check(told[2] != told[1], f"{page.name}: down changes the lane: {told[1:3]}")
    check(
        browser.evaluate("document.activeElement.classList.contains('timeline')"),
        f"{page.name}: the focus stays",
    )


def rows_of_svg(browser: Chromium) -> int:
    return int(browser.evaluate("document.querySelectorAll('svg.timeline path.mark').length"))


def check_theme(browser: Chromium, folder: Path, name: str) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    before = browser.evaluate(paper)
    browser.evaluate("document.getElementById('theme').click()")
    check(browser.evaluate(paper) != before, f"{name}: the switch changes the theme")
    browser.screenshot(folder / f"{name}-other-theme.png")
    browser.evaluate("document.getElementById('theme').click()")
    check(browser.evaluate(paper) == before, f"{name}: and back")


def check_other_media(browser: Chromium, page: Path, folder: Path) -> None:
    """Without a script, by the system's dark theme, and on paper."""
    browser.send("Emulation.setScriptExecutionDisabled", value=True)
    browser.open(page)
    text = str(browser.evaluate("document.body.innerText"))
    for told in ("4 recompiles", "mark_dynamic", "fingerprint", "needs JavaScript"):
        check(told in text, f"{page.name}: without a script it tells '{told}'")
    check(rows_of(browser, "causes-table") >= 2, f"{page.name}: without a script causes are listed")
    browser.send("Emulation.setScriptExecutionDisabled", value=False)
    dark = [{"name": "prefers-color-scheme", "value": "dark"}]
    browser.send("Emulation.setEmulatedMedia", features=dark)
    browser.open(page)
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    check(paper == "rgb(13, 17, 23)", f"{page.name}: dark where the system is: {paper}")
    browser.send("Emulation.setEmulatedMedia", media="print", features=dark)
    hidden = browser.evaluate("getComputedStyle(document.querySelector('nav')).display")
    paper = browser.evaluate("getComputedStyle(document.body).backgroundColor")
    check(
        (hidden, paper) == ("none", "rgb(255, 255, 255)"), f"{page.name}: light on paper: {paper}"
    )
    browser.send("Emulation.setEmulatedMedia", media="", features=[])
    printed = base64.b64decode(browser.send("Page.printToPDF", printBackground=True)["data"])
    (folder / "captured.pdf").write_bytes(printed)
    check(printed.startswith(b"%PDF"), f"{page.name}: it prints")


def check_captured(browser: Chromium, program: str, corpora: Path, folder: Path) -> None:
    """A real run: two ranks that got other lengths."""
    page = folder / "captured.html"
    write_page(program, [corpora / "captured/2.13.0/251-ranks-lengths/trace"], page)
    open_page(browser, page)
    check_sections(browser, page)
    check_quiet(browser, page)
    causes = rows_of(browser, "causes-table")
    check(causes >= 2, "captured: causes are listed")
    severity = browser.evaluate(
        "[...document.querySelectorAll('#causes-table .severity')].map(one => one.textContent)"
    )
    notes = severity.count("note")
    select(browser, "#causes-controls", "Severity", "note")
    check(rows_of(browser, "causes-table") == notes, "captured: only notes are left")
    told = browser.evaluate("document.getElementById('causes-count').textContent")
    check(told == f"{notes} of {causes} causes", f"captured: the filter says how many: {told}")
    select(browser, "#causes-controls", "Severity", "")
    browser.evaluate("document.querySelector('#causes-table tbody button.link').click()")
    check(
        browser.evaluate("document.querySelectorAll('#causes-table tr.detail dl').length") == 1,
        "captured: details open",
    )
    browser.evaluate("document.querySelector('#causes-table tbody button.link').click()")
    check_timeline(browser, page)
    browser.evaluate("document.querySelector('a.show').click()")
    check(
        "cause:" in chosen(browser),
        f"captured: a cause is shown in the timeline: {chosen(browser)}",
    )
    check_theme(browser, folder, "captured")
    check_quiet(browser, page)
    browser.screenshot(folder / "captured.png", is_whole=True)
    check_other_media(browser, page, folder)


def check_large(browser: Chromium, program: str, folder: Path, scratch: Path) -> None:
    """Ten thousand compilations."""
    compiles = write_trace(scratch / "large")
    page = folder / "large.html"
    write_page(program, [scratch / "large"], page)
    check(page.stat().st_size < MAX_PAGE_BYTES, f"large: {page.stat().st_size} bytes")
    open_page(browser, page)
    check_sections(browser, page)
    check_quiet(browser, page)
    check(nodes_of(browser) < MAX_NODES, f"large: {nodes_of(browser)} nodes")
    drawn = int(browser.evaluate("document.querySelectorAll('svg.timeline *').length"))
    check(drawn < MAX_DRAWN_NODES, f"large: {drawn} nodes of the timeline")
    check(rows_of(browser, "compilations-table") == 200, "large: 200 rows at first")
    told = str(browser.evaluate("document.getElementById('compilations-count').textContent"))
    check(int(told.split()[0]) >= compiles, f"large: all are counted: {told}")
    browser.evaluate("document.querySelector('#timeline-table button.more').click()")
    check(rows_of(browser, "compilations-table") == 400, "large: 200 more on request")
    browser.evaluate("document.querySelector('#timeline-table details').open = true")
    type_into(browser, "#timeline-table", "block_007")
    shown = column(browser, "compilations-table", 3)
    check(len(shown) == 200, f"large: 50 compilations of each of 4 ranks: {len(shown)}")
    check(all("block_007" in text for text in shown), "large: only the function that was asked for")
    check_sort(browser, "compilations-table", 5)
    select(browser, "#timeline-table", "Rank", "3")
    check(rows_of(browser, "compilations-table") == 50, "large: one rank of it")
    check_timeline(browser, page)
    check(nodes_of(browser) < MAX_NODES, f"large: {nodes_of(browser)} nodes after that")
    check_quiet(browser, page)
    browser.screenshot(folder / "large.png")
    browser.evaluate("document.getElementById('timeline').scrollIntoView()")
    browser.screenshot(folder / "large-timeline.png")


def check_hostile(browser: Chromium, program: str, folder: Path, scratch: Path) -> None:
    """A log whose texts try to become markup."""
    log = scratch / "hostile.log"
    lines: list[str] = []
    for number in range(1, 4):
        prefix = f"V1121 09:14:0{number}.000000 4711 torch/_dynamo/guards.py:4264] [0/{number}] [__recompiles]"
        lines += [
            f"{prefix} Recompiling function {HOSTILE} in /w/{HOSTILE}.py:6",
            f"{prefix}     triggered by the following guard failure(s):",
            f"{prefix}     - 0/{number - 1}: L['{HOSTILE}'] == {number}  # {HOSTILE} # w/{HOSTILE}.py:8 in f",
        ]
    log.write_text("\n".join(lines) + "\n", encoding="utf-8")
    page = folder / "hostile.html"
    write_page(program, [log], page)
    open_page(browser, page)
    check(
        browser.evaluate("typeof window.intruder") == "undefined", "hostile: nothing of the log ran"
    )
    check(
        browser.evaluate("document.querySelectorAll('img').length") == 0,
        "hostile: nothing of it became markup",
    )
    check(
        "window.intruder" in str(browser.evaluate("document.body.textContent")),
        "hostile: it is shown as text",
    )
    check_quiet(browser, page)


def run(program: str, corpora: Path, folder: Path) -> int:
    chromium = find_chromium()
    if chromium is None:
        print("no Chromium: apt install chromium, or CHROMIUM=PATH", file=sys.stderr)
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        browser = Chromium(chromium, Path(scratch, "profile"))
        checks: list[tuple[Any, tuple[Any, ...]]] = [
            (check_captured, (program, corpora, folder)),
            (check_large, (program, folder, Path(scratch))),
            (check_hostile, (program, folder, Path(scratch))),
        ]
        try:
            for one, arguments in checks:
                one(browser, *arguments)
        finally:
            browser.close()
    print(f"screenshots: {folder}")
    return 1 if failures else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(
        run(
            str(Path(sys.argv[1]).resolve()),
            Path(sys.argv[2]).resolve(),
            Path(sys.argv[3]).resolve(),
        )
    )
