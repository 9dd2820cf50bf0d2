"""python -m shapewise.fleet: arguments, files, exit status."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from shapewise import VERSION

from .analysis import analyze
from .errors import FleetError

__all__ = ["main"]

DONE, WITH_FAILURES, FAILED, INTERRUPTED = 0, 1, 2, 130

EPILOG = """\
A path is a job: a file, a folder, or a pattern, each match of which is a job; s3://... and the like
are read by fsspec. Exit status: 0 done, 1 done, and some jobs or inputs failed, 2 no result,
130 interrupted.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    options = make_parser().parse_args(arguments)
    try:
        fleet = analyze(
            [*options.paths, *_paths_from(options.paths_from)],
            engine=options.engine,
            workers=options.workers,
            address=options.address,
            program=options.program,
            owners=options.owners,
            steps=options.steps,
            redact_key=_key(options.redact_key),
            timeout=options.timeout,
        )
        if options.output is not None:
            Path(options.output).write_text(fleet.json(), encoding="utf-8")
        if options.parquet is not None:
            fleet.write_parquet(options.parquet)
    except (FleetError, OSError) as error:
        print(f"shapewise.fleet: error: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    if options.output is None:
        sys.stdout.write(fleet.text(options.all))
    if all(job.status == "failed" for job in fleet.jobs):
        return FAILED
    return WITH_FAILURES if fleet.failures else DONE


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m shapewise.fleet",
        description="Adds up the logs of many jobs: causes, owners, GPU hours.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("paths", nargs="*", metavar="PATH", help="a job, or a pattern of them")
    add("--paths-from", metavar="FILE", help="paths besides, one a line; - is standard input")
    add("-o", "--output", metavar="FILE", help="write JSON there and no table")
    add("--parquet", metavar="FILE", help="write causes and failures there, too")
    add("--owners", metavar="FILE", help="a CODEOWNERS file: whose code it is")
    add("--engine", choices=("local", "ray"), default="local", help="where to run (default local)")
    add("--workers", type=int, metavar="N", help="local: processes at a time")
    add("--address", metavar="ADDRESS", help="ray: of the cluster")
    add("--program", metavar="FILE", help="the program shapewise, on every node")
    add("--steps", action="store_true", help="read step times that programs print themselves")
    add("--timeout", type=float, metavar="SECONDS", help="for one step of one job")
    add("--redact-key", metavar="TEXT|@FILE", help="make tokens of names with this secret")
    add("--all", action="store_true", help="the table with all rows")
    add("--version", action="version", version=f"shapewise {VERSION}")
    return parser


def _paths_from(file: str | None) -> list[str]:
    if file is None:
        return []
    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line]


def _key(argument: str | None) -> str | None:
    if argument is None or not argument.startswith("@"):
        return argument
    key = Path(argument[1:]).read_text(encoding="utf-8").rstrip("\r\n")
    if not key:
        raise FleetError(f"{argument[1:]} is empty")
    return key
