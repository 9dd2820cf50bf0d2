"""One policy in a process of its own: python -m shapewise.replay.child REQUEST RESULT. Needs torch.

All recorded calls in order, with cold caches; then, if asked for, results beside those of eager
calls; then timed passes over the warm ones. A request with a "turn" is one of several that run at
once: the result is written without times, the file "ready" made in the folder of its turn, and
nothing is timed before the file "turn" is there.
"""

from __future__ import annotations

import contextlib
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from .beside_eager import compare_with_eager
from .calls import read_history
from .errors import ReplayError, SubjectError
from .job import Job, NamedPolicy, job_of_json
from .memory import peak_bytes, reset_peak
from .parent import die_with_parent
from .runner import Runner
from .values import NotRecordedError


def device_name(device: str) -> str:
    """The device in words."""
    if device.startswith("cuda"):
        return str(torch.cuda.get_device_name(device))
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return f"cpu ({line.partition(':')[2].strip()}, {torch.get_num_threads()} threads)"
    return f"cpu ({torch.get_num_threads()} threads)"


def run(
    job: Job, named: NamedPolicy, *, compares: bool, wait_for_turn: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    """The measurements of one policy in one process; `wait_for_turn` gets those without times."""
    if job.threads is not None:
        torch.set_num_threads(job.threads)
    history = read_history(job.calls, job.subject.function)
    result: dict[str, Any] = {"torch": torch.__version__}
    runner = Runner(job, named.policy, history)
    result["device"] = device_name(runner.device)
    result["place"] = runner.device
    result["notes"] = runner.subject.notes
    result["factory"] = runner.subject.is_factory
    result.update(runner.run_all())
    result.update(runner.counters.report())
    if result["error_calls"] == 0:
        if compares:
            comparison = compare_with_eager(runner)
            result["equal"] = comparison.verdict
            result["equal_why"] = comparison.why
            result["compared_calls"] = comparison.compared
            result["max_abs_error"] = comparison.max_abs_error
        wait_for_turn(result)
        reset_peak(runner.device)
        compiles = runner.counters.compiles()
        result["steps_per_second"] = runner.time_passes()
        result["peak_bytes"] = peak_bytes(runner.device)
        result["late_compiles"] = runner.counters.compiles() - compiles
    return result


def record(job: Job, named: NamedPolicy) -> dict[str, Any]:
    """Costs and savings of CUDA graphs of the calls."""
    from .cuda_graph_recorder import record_sizes

    runner = Runner(job, named.policy, read_history(job.calls, job.subject.function))
    device = device_name(runner.device)
    return {"torch": torch.__version__, "device": device, "sizes": record_sizes(runner)}


def warm_up(device: str) -> None:
    """Compiles one line, so that no policy pays for what compilers create once for a machine."""
    place = "cuda" if device.startswith("cuda") and torch.cuda.is_available() else "cpu"
    torch.compile(lambda x: x + 1)(torch.ones(8, device=place))


def main() -> int:
    """Reads a request, writes a result."""
    die_with_parent()
    request = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    if "warm_up" in request:
        warm_up(request["warm_up"])
        return 0
    job = job_of_json(request["job"])
    named = job.policies[request["policy"]]
    target = Path(sys.argv[2])
    try:
        if request.get("cuda_graphs"):
            result = record(job, named)
        else:

            def wait_for_turn(untimed: dict[str, Any]) -> None:
                if turn := request.get("turn"):
                    write(untimed, target)
                    wait_in(Path(turn))

            result = run(job, named, compares=request["compares"], wait_for_turn=wait_for_turn)
    except SubjectError as error:
        result = {"fatal": str(error)}
    except (ReplayError, NotRecordedError) as error:
        result = {"error": str(error), "torch": torch.__version__}
    write(result, target)
    return 0


def write(result: dict[str, Any], target: Path) -> None:
    """Writes a result as a whole, over an earlier one."""
    part = target.with_suffix(".part")
    part.write_text(json.dumps(result), encoding="utf-8")
    part.replace(target)


def wait_in(folder: Path) -> None:
    """Says that all but timing is done, and waits for the others."""
    (folder / "ready").touch()
    while not (folder / "turn").exists():
        time.sleep(0.01)


if __name__ == "__main__":
    sys.exit(main())
