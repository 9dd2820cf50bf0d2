"""Traces compiled functions once more, with all varied sizes as symbols. Imports torch.

The trace shows what a function asks of its sizes (analyzer/docs/bodies.md). It is made in a fork:
that is the process as it is, and nothing comes back from it, so no state of the program changes. No
kernel runs: tracing works on fake tensors, and what was traced is not called. A call that a graph
of the run serves, with the same symbols, is not traced: the run's own trace shows all of it.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import resource
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
import torch._logging._internal as torch_logging
import torch.fx.experimental._config as shape_config

from .entries import Entries, Serving, Varied, code_of
from .keys import CallKey, FloatKey, StateKey, TensorKey
from .samples import GoneError, Samples
from .traces import TraceFile

__all__ = ["Probed", "probe_functions"]

LEAST_SECONDS = 20.0  # of processor time
LARGEST_SHARE = 0.25  # of the time that the program ran
PATIENCE = 3  # how much longer it may take where others use the processors
MOST_CALLS = 3  # of a form
MOST_BYTES = 256 << 20
LIMITS = ("recompile_limit", "accumulated_recompile_limit")
SCHEMA = "shapewise.probes/1"

_Sizes = dict[tuple[str, int], list[set[int]]]  # by source and ndim: the sizes of each dim


@dataclass
class Probed:
    """A function to trace."""

    place: dict[str, Any]  # function, file, line
    function: Any
    samples: Samples
    # What other wrappers of the same code call: methods of other objects, or closures.
    others: list[Any] = field(default_factory=list)
    are_alike: bool | None = None  # graphs of the first serve all others; None: no others
    shown: int = 0  # calls that need no trace: the run shows what one would show
    traced: int = 0
    missed: list[str] = field(default_factory=list)  # why calls were not traced


class _Traced(BaseException):
    """The graph is about to run: everything that was asked for is known."""


def probe_functions(
    functions: list[Probed], folder: Path, run_seconds: float, in_fork: Callable[[], None]
) -> None:
    """Traces them in a fork, which writes to `folder`, and waits for it.

    `run_seconds`: how long the program ran, which limits how long this takes. `in_fork` is called
    first in the fork.
    """
    if not functions or not hasattr(os, "fork"):
        return
    folder.mkdir(parents=True, exist_ok=True)
    most = max(LEAST_SECONDS, LARGEST_SHARE * run_seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about threads, of which the fork has one
        pid = os.fork()
    if pid == 0:
        _be_the_fork(functions, folder, math.ceil(most), in_fork)
    until = time.monotonic() + PATIENCE * most
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        if time.monotonic() > until:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            return
        time.sleep(0.01)


def _be_the_fork(
    functions: list[Probed], folder: Path, most_seconds: int, in_fork: Callable[[], None]
) -> None:
    """Traces, writes, and ends this process."""
    status = 1
    try:
        in_fork()
        resource.setrlimit(resource.RLIMIT_CPU, (most_seconds, most_seconds))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        begun = time.monotonic()
        _stand_apart()
        trace = _trace_into(folder)
        with _settings():
            for probed in functions:
                _probe(probed)
                _note(functions, folder, time.monotonic() - begun)
        trace.close()
        status = 0
    finally:
        os._exit(status)


def _stand_apart() -> None:
    """Nothing of the fork reaches what the program prints and logs."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - until the fork ends
    logging.lastResort = None
    for name in (None, *logging.root.manager.loggerDict):
        logging.getLogger(name).handlers.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    torch.set_num_threads(1)  # threads of the program are not in the fork
    warnings.simplefilter("ignore")


def _trace_into(folder: Path) -> Any:
    """Structured traces go to a file of this fork."""
    path = folder / f"dedicated_log_torch_trace_pid_{os.getpid()}.log"
    file = path.open("w", encoding="utf-8", errors="backslashreplace")

    def write(text: str) -> None:
        if file.tell() < MOST_BYTES:
            file.write(text)

    handler = TraceFile(torch_logging, write)
    handler.setFormatter(torch_logging.TorchLogsFormatter(trace=True))
    log = logging.getLogger("torch.__trace")
    log.setLevel(logging.DEBUG)
    log.propagate = False
    log.addHandler(handler)
    torch_logging.LOG_TRACE_HANDLER = handler  # type: ignore[assignment]
    structured = sys.modules.get("torch._logging.structured")
    getattr(structured, "INTERN_TABLE", {}).clear()
    return file


@contextlib.contextmanager
def _settings() -> Iterator[None]:
    """Equal sizes stay apart, and no limit is hit."""
    changes: dict[str, Any] = dict.fromkeys(LIMITS, 1 << 20)
    changes |= {"automatic_dynamic_shapes": True, "suppress_errors": False}
    settings: Any = shape_config
    with torch._dynamo.config.patch(changes), settings.patch(use_duck_shape=False):
        yield


def _note(functions: list[Probed], folder: Path, seconds: float) -> None:
    notes = [
        {
            **p.place,
            "shown": p.shown,
            "traced": p.traced,
            "missed": p.missed,
            "alike": p.are_alike,
        }
        for p in functions
    ]
    note = {"schema": SCHEMA, "seconds": round(seconds, 3), "functions": notes}
    path = folder / f"probes-{os.getpid()}.json"
    temporary = path.with_suffix(".tmp")
    temporary.write_text(json.dumps(note) + "\n")
    temporary.replace(path)


def _probe(probed: Probed) -> None:
    """Traces one function, for each form of its calls."""
    samples = probed.samples
    sizes = _sizes(samples)
    code = code_of(probed.function)
    chosen = [k for calls in samples.forms for k in _choose(samples, calls, sizes)]
    entries = Entries(code, _varied_sources(samples, sizes))
    functions = [probed.function, *probed.others]
    serving = {key: _entry_for(entries, functions, samples, key) for key in chosen}
    known = [entry for entry in serving.values() if entry is not None]
    unknown = [key for key, entry in serving.items() if entry is None]
    probed.shown = len(known)
    if probed.others:
        probed.are_alike = bool(chosen) and all(entry.serves_all for entry in known)
    if not unknown:
        return
    if code is not None:
        # A function that hit its limit is compiled again; what it learned of sizes is kept.
        torch._C._dynamo.eval_frame.reset_code(code)
    # A call that an earlier trace serves shows nothing new, and is not traced.
    compiled = torch.compile(probed.function, backend=_stop)
    first: CallKey | None = None
    for key in unknown:
        try:
            _trace_call(compiled, samples, key, sizes)
            probed.traced += 1
            first = first or key
        except GoneError as error:
            probed.missed.append(str(error))
        except Exception as error:  # whatever a function raises while it is traced
            lines = str(error).splitlines() or [""]
            probed.missed.append(f"{type(error).__name__}: {lines[0][:200]}")
    if probed.are_alike:
        probed.are_alike = first is not None and all(
            _is_served(other, samples, first, sizes) for other in probed.others
        )


def _entry_for(
    entries: Entries, functions: list[Any], samples: Samples, key: CallKey
) -> Serving | None:
    """The entry of the run that serves a call and shows what a trace would; None: not found."""
    if not entries:
        return None
    try:
        args, kwargs = samples.make(key)
        dims = [
            (source, dim)
            for source, part in samples.sources(key)
            if isinstance(part, TensorKey)
            for dim, size in enumerate(part.size)
            if size > 1
        ]
        with _threads(key.state.threads), _state(key.state):
            return entries.serving(functions, samples.signature, args, kwargs, dims)
    except Exception:  # then the call is traced, which reports why it cannot be
        return None


def _varied_sources(samples: Samples, sizes: _Sizes) -> Varied:
    """The sizes and numbers that are not the same in all calls."""
    dims = {
        (source, ndim, dim)
        for (source, ndim), seen in sizes.items()
        for dim, values in enumerate(seen)
        if len(values) > 1
    }
    numbers: dict[str, set[Any]] = {}
    for calls in samples.forms:
        for key in calls:
            for source, part in samples.sources(key):
                if type(part) is int or isinstance(part, FloatKey):
                    numbers.setdefault(source, set()).add(part)
    return Varied(dims, {source for source, values in numbers.items() if len(values) > 1})


def _is_served(function: Any, samples: Samples, key: CallKey, sizes: _Sizes) -> bool:
    """Whether what was traced serves a function of the same code, too."""
    graphs = len(_graphs)
    try:
        _trace_call(torch.compile(function, backend=_stop), samples, key, sizes)
    except Exception:  # whatever it raises, it is not alike
        return False
    return len(_graphs) == graphs


def _sizes(samples: Samples) -> _Sizes:
    sizes: _Sizes = {}
    for calls in samples.forms:
        for key in calls:
            for source, part in samples.sources(key):
                if isinstance(part, TensorKey):
                    dims = sizes.setdefault((source, len(part.size)), [set() for _ in part.size])
                    for seen, size in zip(dims, part.size, strict=True):
                        seen.add(size)
    return sizes


def _varied(samples: Samples, key: CallKey, sizes: _Sizes) -> list[int]:
    """The sizes of a call that other calls have otherwise."""
    return [
        size
        for source, part in samples.sources(key)
        if isinstance(part, TensorKey)
        for seen, size in zip(sizes[source, len(part.size)], part.size, strict=True)
        if len(seen) > 1
    ]


def _choose(samples: Samples, calls: list[CallKey], sizes: _Sizes) -> list[CallKey]:
    """Calls that differ from each other as much as they can, without sizes of 0 and 1."""
    varied = {id(key): _varied(samples, key, sizes) for key in calls}

    def worth(key: CallKey) -> tuple[int, int, int]:
        own = varied[id(key)]
        return -sum(size < 2 for size in own), len(set(own)), sum(own)

    chosen = [max(calls, key=worth)]
    rest = [key for key in calls if key is not chosen[0]]
    while rest and len(chosen) < MOST_CALLS:

        def news(key: CallKey) -> tuple[int, int]:
            others = zip(*(varied[id(other)] for other in chosen), strict=True)
            own = varied[id(key)]
            known = [set(other) for other in others]
            fresh = sum(s > 1 and s not in k for s, k in zip(own, known, strict=True))
            return fresh, -sum(own)

        best = max(rest, key=news)
        if news(best)[0] == 0:
            break
        chosen.append(best)
        rest.remove(best)
    return chosen


def _trace_call(compiled: Any, samples: Samples, key: CallKey, sizes: _Sizes) -> None:
    """Calls a compiled function, up to its first graph."""
    args, kwargs = samples.make(key)
    given = _given(samples, args, kwargs)
    for (source, part), value in zip(samples.sources(key), given, strict=True):
        if isinstance(part, TensorKey):
            for dim, seen in enumerate(sizes[source, len(part.size)]):
                if len(seen) > 1 and part.size[dim] > 1:
                    torch._dynamo.maybe_mark_dynamic(value, dim)
    with contextlib.suppress(_Traced), _state(key.state):
        compiled(*args, **kwargs)


def _given(samples: Samples, args: list[Any], kwargs: dict[str, Any]) -> Iterator[Any]:
    """The values of a call in the order of Samples.sources()."""
    if samples.signature is None:
        bound: dict[str, Any] = {"args": args, "kwargs": kwargs}
    else:
        bound = samples.signature.bind(*args, **kwargs).arguments
    for value in bound.values():
        yield from _leaves(value)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _leaves(item)
    else:
        yield value


_graphs: list[None] = []  # one for each that was traced


def _stop(_graph: Any, _inputs: Any) -> Callable[..., Any]:
    """A backend whose graphs do not run."""
    _graphs.append(None)

    def run(*_args: Any) -> Any:
        raise _Traced

    return run


@contextlib.contextmanager
def _threads(number: int) -> Iterator[None]:
    """The number that guards compare. The fork has no threads: nothing may be computed."""
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(1)


@contextlib.contextmanager
def _state(state: StateKey) -> Iterator[None]:
    """The global state of a call."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.inference_mode(state.inference))
        if not state.inference:
            stack.enter_context(torch.set_grad_enabled(state.grad))
        for kind, dtype in state.autocast:
            stack.enter_context(torch.autocast(kind, dtype=dtype))
        yield
