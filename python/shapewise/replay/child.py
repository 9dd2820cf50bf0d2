"""One policy in a process of its own: python -m shapewise.replay.child REQUEST RESULT. Needs torch.

All recorded calls in order, with cold caches; then, as far as it is asked for, timed passes over
the warm ones, and results beside those of eager calls.
"""

from __future__ import annotations

import contextlib
import json
import sys
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


def run(job: Job, named: NamedPolicy, *, compares: bool, is_timed: bool) -> dict[str, Any]:
    """The measurements of one policy in one process."""
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
        if is_timed:
            reset_peak(runner.device)
            result["steps_per_second"] = runner.time_passes()
            result["peak_bytes"] = peak_bytes(runner.device)
            result["late_compiles"] = runner.counters.compiles() - result["compiles"]
        if compares:
            comparison = compare_with_eager(runner)
            result["equal"] = comparison.verdict
            result["equal_why"] = comparison.why
            result["compared_calls"] = comparison.compared
            result["max_abs_error"] = comparison.max_abs_error
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
    try:
        if request.get("cuda_graphs"):
            result = record(job, named)
        else:
            result = run(job, named, compares=request["compares"], is_timed=request["is_timed"])
    except SubjectError as error:
        result = {"fatal": str(error)}
    except (ReplayError, NotRecordedError) as error:
        result = {"error": str(error), "torch": torch.__version__}
    target = Path(sys.argv[2])
    part = target.with_suffix(".part")
    part.write_text(json.dumps(result), encoding="utf-8")
    part.replace(target)
    return 0


if __name__ == "__main__":
    sys.exit(main())
