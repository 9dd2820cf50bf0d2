"""python -m shapewise.replay: arguments, files, exit status."""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shapewise import VERSION

from .calls import read_history
from .errors import ReplayError
from .job import Job, job_of_json
from .measure import measure
from .progress import Progress
from .script import script_of

__all__ = ["main"]

DONE, FAILED, INTERRUPTED = 0, 2, 130

EPILOG = """\
JOB.json is a shapewise.replay-job/1, as `shapewise replay` writes it: what to call, recorded calls,
policies. Every policy is run in processes of its own with cold caches. Exit status: 0 done (a
policy that raises is a result), 2 the job could not be done, 130 interrupted.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit status."""
    parser = make_parser()
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        given = _job_json(options, parser)
        job = job_of_json(given)
        if options.serve:
            return _serve(job, given)
        if not job.policies:
            raise ReplayError("job.policies: expected at least one policy")
        if options.cudagraphs:
            return _cuda_graphs(job, given, options)
        progress = Progress()
        try:
            answer = measure(job, given, progress.look)
        finally:
            progress.end()
        best = answer["best"]
        if best:
            answer["script"] = _write_script(job, answer, options)
        _write(json.dumps(answer, indent=2) + "\n", options.output)
    except ReplayError as error:
        print(f"replay: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("replay: interrupted", file=sys.stderr)
        return INTERRUPTED
    return DONE


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m shapewise.replay",
        description="Runs recorded calls under policies of torch.compile, and measures each.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("job", nargs="?", type=Path, metavar="JOB.json")
    parser.add_argument("-o", "--output", type=Path, metavar="OUT.json", help="default: stdout")
    parser.add_argument("--script", metavar="FILE", help="where to write the best policy's program")
    parser.add_argument("--cudagraphs", action="store_true", help="measure CUDA graphs by size")
    parser.add_argument("--serve", action="store_true", help="time calls of sizes asked on stdin")
    parser.add_argument("--version", action="version", version=f"shapewise {VERSION}")
    group = parser.add_argument_group("without a job")
    group.add_argument("--callable", metavar="FILE.py:NAME", help="a function, module, or factory")
    group.add_argument("--calls", metavar="FILE", help="call records")
    group.add_argument("--policy", action="append", metavar="TEXT", help="as for shapewise predict")
    group.add_argument("--repetitions", type=int, metavar="N")
    group.add_argument("--device", metavar="NAME")
    group.add_argument("--backward", action="store_true")
    return parser


def _job_json(options: argparse.Namespace, parser: argparse.ArgumentParser) -> Any:
    """The JSON of the job, from a file or from the command line."""
    if options.job is not None:
        for name in ("callable", "calls", "policy", "repetitions", "device", "backward"):
            if getattr(options, name):
                parser.error(f"--{name} goes without a job file")
        return _read(options.job)
    if not options.callable or not options.calls:
        parser.error("expected JOB.json, or --callable and --calls")
    policies = options.policy or ["as-is"]
    given: dict[str, Any] = {
        "subject": {"kind": "callable", "spec": options.callable},
        "calls": options.calls,
        "policies": [{"name": policy, "policy": policy} for policy in policies],
        "backward": options.backward,
    }
    for name in ("repetitions", "device"):
        if getattr(options, name):
            given[name] = getattr(options, name)
    return given


def _read(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:
        raise ReplayError(f"{path}: no JSON: {error}") from None


def _write_script(job: Job, answer: dict[str, Any], options: argparse.Namespace) -> str:
    """Writes the program of the best policy and returns its path."""
    named = next(named for named in job.policies if named.name == answer["best"][0])
    beside = options.output or options.job or Path("replay.json")
    default = beside.with_name(beside.stem + ".best.py")
    path = Path(options.script or job.script or default)
    history = read_history(job.calls, job.subject.function)
    subject = answer["subject"]
    _write(script_of(job, named, history, subject["device"], subject["factory"]), path)
    path.chmod(0o755)
    return str(path)


def _write(text: str, path: Path | None) -> None:
    if path is None:
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ReplayError(f"{path}: {error}") from None


def _cuda_graphs(job: Job, given: Any, options: argparse.Namespace) -> int:
    from .cuda_graphs import measure_cuda_graphs

    _write(json.dumps(measure_cuda_graphs(job, given), indent=2) + "\n", options.output)
    return DONE


def _serve(job: Job, given: Any) -> int:
    from .cost_server import serve

    try:
        serve(job, given, sys.stdin, sys.stdout)
    except ReplayError as error:
        sys.stdout.write(json.dumps({"fatal": str(error)}) + "\n")
        return FAILED
    return DONE


def _interrupt(*_: object) -> None:
    """Handles SIGTERM like an interrupt, so that no process is left over."""
    raise KeyboardInterrupt
