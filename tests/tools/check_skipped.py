#!/usr/bin/env python3
"""Fails when a test was skipped for want of something that `./dev test` installs.

Usage: check_skipped.py RESULTS

RESULTS is what `ctest --output-junit RESULTS` wrote. A test that is skipped says why in a line "skipped: REASON".
Some need recorded material beside the checkout, or the compiler that figures were recorded for: these may be skipped.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree
from pathlib import Path

MAY_BE_MISSING = re.compile(r"is not there$|not beside this checkout|^recorded for ")
REASON = re.compile(r"^.*?\bskipped: (.*)$", re.MULTILINE)


def skipped_tests(results: Path) -> list[tuple[str, str]]:
    """Name and reason of each skipped test."""
    skipped = []
    for test in xml.etree.ElementTree.parse(results).getroot().iter("testcase"):
        if test.find("skipped") is None:
            continue
        reason = REASON.search(test.findtext("system-out") or "")
        skipped.append((test.get("name") or "?", reason[1].strip() if reason else "no reason given"))
    return skipped


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    missing = False
    for name, reason in skipped_tests(Path(arguments[0])):
        is_fault = not MAY_BE_MISSING.search(reason)
        missing = missing or is_fault
        print(f"{name}: {'must run, but was' if is_fault else 'was'} skipped: {reason}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
