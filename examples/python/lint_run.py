"""Prints the causes in the logs of a run, and the code to paste for each.

python lint_run.py LOG [LOG...]
"""

from __future__ import annotations

import sys

import shapewise


def main() -> int:
    try:
        result = shapewise.lint(sys.argv[1:], fail_on="error")
    except shapewise.ShapewiseError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.status
    for finding in result.findings:
        print(f"{finding.rule} {finding.message}")
        for action in finding.advice[:1]:
            print(f"  {action.text}")
            if action.code:
                print(f"    {action.code}")
    print(f"{result.summary.recompiles} recompiles, {result.summary.graph_breaks} graph breaks")
    return result.status


if __name__ == "__main__":
    sys.exit(main())
