"""Lists what in a project's code breaks graphs, most certain first, and how to fix it.

python check_code.py FOLDER
"""

from __future__ import annotations

import sys

import shapewise


def main() -> int:
    result = shapewise.check(sys.argv[1], mode="eval")
    for finding in sorted(result.findings, key=lambda each: -each.confidence):
        print(f"{finding.file}:{finding.line}: {finding.message} ({finding.confidence:.0%})")
        if finding.fix is not None and finding.fix.safe:
            print(f"  shapewise check --fix can {finding.fix.title}")
    return result.status


if __name__ == "__main__":
    sys.exit(main())
