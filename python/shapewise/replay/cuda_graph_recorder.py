"""Record a CUDA graph for each distinct call, and compare with plain launches. Needs torch."""

from __future__ import annotations

import statistics
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from .calls import Call
from .errors import ReplayError, first_line
from .runner import Runner, named_tensors
from .values import bind, call_context

__all__ = ["record_sizes"]

MOST_SIZES = 64
WARM_CALLS = 3
TIMED_CALLS = 20


def record_sizes(runner: Runner) -> list[dict[str, Any]]:
    """A row for each of the most frequent calls. Raises ReplayError without a CUDA device."""
    if not runner.device.startswith("cuda"):
        raise ReplayError(f"they need a CUDA device, and this runs on '{runner.device}'")
    frequent = [number for number, _ in Counter(runner.history.order).most_common(MOST_SIZES)]
    rows = []
    for number in frequent:
        call = runner.history.distinct[number]
        row: dict[str, Any] = {"call": number, "inputs": call.inputs, "error": None}
        try:
            row.update(_record(runner, call, runner.history.order.index(number)))
        except Exception as error:
            row["error"] = first_line(error)
        rows.append(row)
    return rows


def _record(runner: Runner, call: Call, index: int) -> dict[str, Any]:
    prepared = runner.preparation.prepare(runner.values(call), index)
    positional, by_name = bind(runner.subject.signature, prepared.values)
    compiled = runner.compiler.wrapper(call.wrapper, prepared.way)
    runner.use_stance("force_eager" if runner.policy.eager else "default")

    def launch() -> None:
        with call_context(call.grad, call.state, runner.device):
            compiled(*positional, **by_name)

    # torch.cuda.graph requires first calls on a separate stream.
    torch_cuda: Any = torch.cuda
    stream = torch_cuda.Stream(runner.device)
    stream.wait_stream(torch.cuda.current_stream(runner.device))
    with torch.cuda.stream(stream):
        for _ in range(WARM_CALLS):
            launch()
    torch.cuda.current_stream(runner.device).wait_stream(stream)
    launched = _seconds(launch, runner)

    graph = torch.cuda.CUDAGraph()
    runner.wait()
    # Recording frees cached memory of the allocator, which does not belong to the graph.
    torch.cuda.empty_cache()
    free_before = torch.cuda.mem_get_info(runner.device)[0]
    begin = time.perf_counter()
    with torch.cuda.graph(graph):
        launch()
    runner.wait()
    captured = time.perf_counter() - begin
    taken = free_before - torch.cuda.mem_get_info(runner.device)[0]

    # A replay reads the buffers it was recorded with: new inputs are copied into them.
    held = named_tensors(prepared.values)
    fresh = named_tensors(runner.preparation.prepare(runner.values(call), index).values)

    def replay() -> None:
        with torch.no_grad():
            for name, tensor in held.items():
                tensor.copy_(fresh[name])
        graph.replay()

    return {
        "capture_seconds": captured,
        "capture_bytes": max(0, taken),
        "launch_seconds": launched,
        "replay_seconds": _seconds(replay, runner),
    }


def _seconds(action: Callable[[], None], runner: Runner) -> float:
    """The median of several, each waited for."""
    seconds = []
    for _ in range(TIMED_CALLS):
        runner.wait()
        begin = time.perf_counter()
        action()
        runner.wait()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds)
