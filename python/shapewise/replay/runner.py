"""A subject called under a policy: all calls from cold, then timed passes. Needs torch."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any

import torch

from .applied import Compiler, Preparation, Prepared, configure
from .calls import Call, History
from .comparison import loss_of
from .counters import DynamoCounters, forget_compiles
from .errors import SubjectError, first_line
from .job import Job
from .policy import Policy
from .sources import argument_name
from .subjects import load_subject, state_of
from .values import NotRecordedError, ValueMaker, bind, call_context

__all__ = ["CHUNK_BYTES", "CHUNK_CALLS", "Runner", "evenly_spaced", "named_tensors", "tensor_bytes"]

MOST_ERRORS = 32  # then a policy is given up
CHUNK_CALLS = 16  # inputs of so many calls are made before they are timed
CHUNK_BYTES = 256 << 20


class Runner:
    """Calls a subject under a policy."""

    def __init__(self, job: Job, policy: Policy, history: History) -> None:
        self.job = job
        self.policy = policy
        self.history = history
        self.device = device_of(job, history)
        self.maker = ValueMaker(job.seed, self.device, job.subject.ranges)
        torch.manual_seed(job.seed)
        self.subject = load_subject(job.subject, history.distinct[0], self.maker)
        # A script without a __main__ guard runs when it is imported: what that compiled is no
        # part of the policy, and the options of the policy replace those that it set.
        self.subject.notes.extend(forget_compiles())
        self.counters = DynamoCounters()
        self.matmul_precision = torch.get_float32_matmul_precision()  # of the program as it is
        configure(policy)
        self.state = state_of(self.subject.target)
        self.preparation = Preparation(policy, self.subject.signature)
        self.compiler = Compiler(policy, self.subject.target, self.state)
        self._parameters = list(self.state.parameters().values())
        self.stance = "default"
        has_mode = policy.mode not in (None, "default") and self.device.startswith("cuda")
        self.records_graphs = has_mode or bool(policy.inductor_setting("triton.cudagraphs"))

    def values(self, call: Call) -> dict[str, Any]:
        """New arguments for a call."""
        made = self.maker.call({argument_name(name): given for name, given in call.inputs.items()})
        if self.subject.make_inputs is not None:
            given = self.subject.make_inputs({"inputs": call.inputs, "grad": call.grad})
            made.update(given)
        return made

    def forward(self, call: Call, index: int, values: dict[str, Any]) -> tuple[Any, Prepared]:
        """One call under the policy, including padding; `index` is its number."""
        prepared = self.preparation.prepare(values, index)
        positional, by_name = bind(self.subject.signature, prepared.values)
        is_eager = self.policy.eager or prepared.way == "eager"
        self.use_stance("force_eager" if is_eager else self.policy.stance.get(index, call.stance))
        if self.records_graphs:
            torch_compiler: Any = torch.compiler
            torch_compiler.cudagraph_mark_step_begin()
        with call_context(call.grad, call.state, self.device):
            function = self.compiler.wrapper(call.wrapper, prepared.way)
            return function(*positional, **by_name), prepared

    def step(self, call: Call, index: int, values: dict[str, Any]) -> None:
        """A call, and the backward pass if the job has one."""
        results, _ = self.forward(call, index, values)
        if self.job.backward and call.grad == "on":
            loss = loss_of(results)
            if loss is not None:
                loss.backward()

    def use_stance(self, stance: str) -> None:
        """Sets the stance of torch.compile, if it changes."""
        if stance != self.stance:
            torch.compiler.set_stance(stance)
            self.stance = stance

    def forget_gradients(self) -> None:
        """Each step begins without gradients, as training steps do."""
        if self.job.backward:
            for parameter in self._parameters:
                parameter.grad = None

    def wait(self) -> None:
        """Waits for the device."""
        if self.device.startswith("cuda"):
            torch.cuda.synchronize(self.device)

    def run_all(self) -> dict[str, Any]:
        """All calls in order, from cold: seconds with compilation, and errors."""
        seconds = 0.0
        errors: list[tuple[int, str]] = []
        for index, number in enumerate(self.history.order):
            call = self.history.distinct[number]
            values = self.values(call)
            self.forget_gradients()
            self.wait()
            begin = time.perf_counter()
            try:
                self.step(call, index, values)
                self.wait()
            except NotRecordedError:
                raise
            except Exception as error:
                errors.append((index, first_line(error)))
                if len(errors) >= MOST_ERRORS:
                    break
            seconds += time.perf_counter() - begin
        given: dict[str, Any] = {"wall_seconds": seconds, "error_calls": len(errors)}
        if errors:
            given["error_call"], given["error"] = errors[0]
        return given

    def time_passes(self) -> list[float]:
        """Steps per second of each pass over the warm calls."""
        numbers = evenly_spaced(len(self.history.order), self.job.warm_calls)
        self._pass(numbers)  # not counted: caches fill, and CUDA graphs are recorded only now
        return [len(numbers) / self._pass(numbers) for _ in range(self.job.passes)]

    def _pass(self, numbers: list[int]) -> float:
        seconds = 0.0
        chunk: list[tuple[int, Call, dict[str, Any]]] = []
        size = 0
        for position, index in enumerate(numbers):
            call = self.history.distinct[self.history.order[index]]
            chunk.append((index, call, self.values(call)))
            size += sum(tensor_bytes(value) for value in chunk[-1][2].values())
            is_last = position + 1 == len(numbers)
            if is_last or len(chunk) >= CHUNK_CALLS or size >= CHUNK_BYTES:
                seconds += self.time_chunk(chunk)
                chunk, size = [], 0
        return seconds

    def time_chunk(self, chunk: list[tuple[int, Call, dict[str, Any]]]) -> float:
        """Seconds of calls one after the other: (number of the call, the call, its values)."""
        self.wait()
        begin = time.perf_counter()
        for index, call, values in chunk:
            self.forget_gradients()
            self.step(call, index, values)
        self.wait()
        return time.perf_counter() - begin


def device_of(job: Job, history: History) -> str:
    """The device: that of the job, else that of the calls if it exists."""
    if job.device:
        if job.device.startswith("cuda") and not torch.cuda.is_available():
            raise SubjectError(
                f"device '{job.device}': torch {torch.__version__} sees no CUDA device"
            )
        return job.device
    text = json.dumps([call.inputs for call in history.distinct[:64]])
    return "cuda" if '"cuda' in text and torch.cuda.is_available() else "cpu"


def evenly_spaced(count: int, most: int) -> list[int]:
    """At most `most` of the numbers below `count`, evenly spread, ascending."""
    if count <= most:
        return list(range(count))
    return sorted({round((i + 0.5) * count / most - 0.5) for i in range(most)})


def named_tensors(values: Any, name: str = "") -> dict[str, torch.Tensor]:
    """All tensors in containers, by their place."""
    if isinstance(values, torch.Tensor):
        return {name: values}
    parts: Iterable[tuple[Any, Any]] = ()
    if isinstance(values, dict):
        parts = values.items()
    elif isinstance(values, list | tuple):
        parts = enumerate(values)
    found: dict[str, torch.Tensor] = {}
    for key, part in parts:
        found.update(named_tensors(part, f"{name}[{key!r}]" if name else str(key)))
    return found


def tensor_bytes(value: Any) -> int:
    """What the tensors of a value hold."""
    return sum(tensor.numel() * tensor.element_size() for tensor in named_tensors(value).values())
