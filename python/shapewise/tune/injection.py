"""Applies a job at the boundary of compiled functions. Needs torch once there is a call.

torch.compile gets other arguments, and what a context of torch.compile makes is wrapped: the
wrapper marks and pads arguments, counts, and ends the process at a step boundary.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import inspect
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from ..replay.errors import ReplayError
from .job import Action, Job, read_job
from .last_call import agree_on_last_call, read_last_call
from .patches import serve_patches

if TYPE_CHECKING:
    from ..replay.policy import Buckets, Mark
    from .figures import Figures

__all__ = ["Injection"]

OF_INDUCTOR = ("mode", "options")
MOST_COMPILING = 5  # times the seconds of a run, where the program's own backend compiles
AHEAD = 2  # calls that other ranks may have begun


@dataclass
class _Boundary:
    """A compiled function, as the program calls it."""

    name: str
    signature: inspect.Signature | None  # None: (*args, **kwargs)
    actions: tuple[Action, ...]


class Injection:
    """The job of this process."""

    def __init__(self, path: Path) -> None:
        """Raises OSError, ValueError or ReplayError if the job cannot be read."""
        self._job: Job = read_job(path)
        self._began = 0.0  # when the first call of a compiled function began
        self._figures: Figures | None = None
        self._last_call: int | None = None  # on which the ranks of a job agreed
        self._matched: set[int] = set()  # marks and paddings that found their argument
        self._thread = threading.local()
        _end_with(self._job.parent)
        serve_patches(self._job.patches)

    # What torch.compile is given.

    def change_compile(self, torch: Any) -> None:
        """Wraps torch.compile."""
        original = torch.compile

        @functools.wraps(original)
        def compile(model: Any = None, *args: Any, **kwargs: Any) -> Any:
            if not args and not kwargs.get("disable"):
                kwargs = self._arguments(model, kwargs)
            return original(model, *args, **kwargs)

        torch.compile = compile

    def _arguments(self, model: Any, given: dict[str, Any]) -> dict[str, Any]:
        changed = dict(given)
        if model is not None:  # else it decorates, and is called again
            from ..record.targets import name_of

            for action in self._actions_of(name_of(model)):
                if any(name in action.arguments for name in OF_INDUCTOR):
                    for name in OF_INDUCTOR:
                        changed.pop(name, None)
                changed.update(action.arguments)
        if self._job.backend:
            changed["backend"] = self._job.backend
            for name in OF_INDUCTOR:
                changed.pop(name, None)
        return changed

    def _actions_of(self, name: str) -> tuple[Action, ...]:
        """The actions for the function of this name."""
        return tuple(action for action in self._job.actions if action.function in ("", name))

    # Calls.

    def change_contexts(self, eval_frame: Any) -> None:
        """Wraps what contexts of torch.compile make of functions."""
        base = eval_frame._TorchDynamoContext
        original = base.__call__

        def call(context: Any, function: Any) -> Any:
            made = original(context, function)
            compiles = callable(getattr(context, "callback", None))
            return self._wrap(made, function) if compiles and type(made) is FunctionType else made

        base.__call__ = call

    def _wrap(self, made: Callable[..., Any], function: Any) -> Callable[..., Any]:
        from ..record.targets import target_of

        target = target_of(function)
        if target is None:
            return made
        actions = self._actions_of(target.function)
        boundary = _Boundary(target.function, target.signature, actions)

        @functools.wraps(made)
        def tuned(*args: Any, **kwargs: Any) -> Any:
            return self._call(made, boundary, args, kwargs)

        # Dynamo takes attributes that were copied for those of another function.
        tuned._torchdynamo_wrapper_id = id(tuned)  # type: ignore[attr-defined]
        return tuned

    def _call(
        self, made: Callable[..., Any], boundary: _Boundary, args: Any, kwargs: dict[str, Any]
    ) -> Any:
        from torch._C._dynamo.eval_frame import set_eval_frame

        prior = set_eval_frame(None)  # nothing of ours is compiled
        try:
            figures = self._figures or self._begin()
            self._configure_thread()
            is_inner = getattr(self._thread, "is_inside", False)
            if not is_inner:
                self._stop_if_due(figures)
            args, kwargs, padded = self._prepare(boundary, args, kwargs)
            if is_inner:
                set_eval_frame(prior)
                return made(*args, **kwargs)
            self._thread.is_inside = True
            begun = figures.begin_call()
            result, error = None, None
            try:
                result = made(*args, **kwargs)
            except BaseException as raised:
                error = raised
                raise
            finally:
                self._thread.is_inside = False
                result = padded(result)
                figures.end_call(begun, boundary.name, result, error)
                figures.write()
            return result
        finally:
            set_eval_frame(prior)

    def _stop_if_due(self, figures: Figures) -> None:
        if figures.calls >= self._job.steps:
            self._stop(figures, "steps")
        elif self._is_time_over(figures):
            self._stop(figures, "seconds")

    def _is_time_over(self, figures: Figures) -> bool:
        """Whether this call is the first after the limit of seconds.

        Ranks of a job end at the same call: one that went on alone would wait for the others.
        """
        from ..record.recorder import rank_of_process

        seconds, limit = time.monotonic() - self._began, self._job.seconds
        if not self._job.backend and seconds < MOST_COMPILING * limit:
            seconds -= figures.compiling  # kernels: minutes, in which nothing is measured
        is_over = seconds >= limit
        if rank_of_process() is None:
            return is_over
        if self._last_call is None:
            self._last_call = read_last_call(self._job.results)
        if self._last_call is None and is_over:
            self._last_call = agree_on_last_call(self._job.results, figures.calls + AHEAD)
        return self._last_call is not None and figures.calls >= self._last_call

    def _prepare(
        self, boundary: _Boundary, args: Any, kwargs: dict[str, Any]
    ) -> tuple[Any, dict[str, Any], Callable[[Any], Any]]:
        """The arguments as the actions want them, and what restores the sizes of the result."""
        if not any(action.policy.marks or action.policy.pads for action in boundary.actions):
            return args, kwargs, _same
        from .arguments import Arguments

        try:
            arguments = Arguments(boundary.signature, args, kwargs)
        except TypeError:  # the call is going to raise
            return args, kwargs, _same
        try:
            for action in boundary.actions:
                self._matched |= arguments.apply(action.policy)
        except ReplayError as error:
            self._give_up(error)
        return arguments.args, arguments.kwargs, arguments.restore

    # The process.

    def _begin(self) -> Figures:
        """Starts counting: the first call of a compiled function begins."""
        import torch._dynamo.trace_rules as trace_rules

        from .figures import Figures

        trace_rules.add(__name__.partition(".")[0])  # frames of ours are not compiled
        self._began = time.monotonic()
        self._figures = figures = Figures(self._job.results)
        figures.write()  # `shapewise tune` sees that calls have begun
        _count_graphs(figures)
        atexit.register(self._finish)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)
        return figures

    def _forget(self) -> None:
        # A fork that calls compiled functions counts from its own first call.
        self._figures = None
        atexit.unregister(self._finish)

    def _configure_thread(self) -> None:
        """Sets options where the program cannot override them: settings belong to a thread."""
        if getattr(self._thread, "is_configured", False):
            return
        self._thread.is_configured = True
        from ..replay.applied import configure

        try:
            for action in self._job.actions:
                configure(action.policy)
        except ReplayError as error:
            self._give_up(error)

    def _give_up(self, error: ReplayError) -> None:
        """Ends the process: what the job asks for cannot be done."""
        assert self._figures is not None
        self._figures.problem = str(error)
        self._stop(self._figures, "problem")

    def _finish(self) -> None:
        if self._figures is not None:
            self._note_unmatched(self._figures)
            with contextlib.suppress(OSError):
                self._figures.write(is_final=True)

    def _note_unmatched(self, figures: Figures) -> None:
        policies = [action.policy for action in self._job.actions]
        named: list[Mark | Buckets] = [mark for policy in policies for mark in policy.marks]
        named += [buckets for policy in policies for buckets in policy.buckets]
        missed = {part.source for part in named if id(part) not in self._matched}
        figures.unmatched = sorted(missed)

    def _stop(self, figures: Figures, why: str) -> None:
        """Ends the process without a word: no handler of the program writes half of its work."""
        figures.stopped = why
        self._finish()
        from ..record.recorder import active_recorder

        recorder = active_recorder()
        if recorder is not None:
            recorder.finish()
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(Exception):
                stream.flush()
        os._exit(0)


def _same(result: Any) -> Any:
    return result


def _count_graphs(figures: Figures) -> None:
    """Counts graphs that are compiled, and runs of them."""
    from torch._dynamo.output_graph import OutputGraph

    output_graph: Any = OutputGraph
    original = output_graph.call_user_compiler

    @functools.wraps(original)
    def call_user_compiler(self: Any, *args: Any, **kwargs: Any) -> Any:
        compiled = original(self, *args, **kwargs)
        figures.graphs += 1

        def counted(*inputs: Any) -> Any:
            figures.graph_runs += 1
            return compiled(*inputs)

        return counted

    output_graph.call_user_compiler = call_user_compiler


def _end_with(parent: int) -> None:
    """Makes Linux end this process when `shapewise tune`, if that started it, is killed."""
    from ..replay.parent import die_with_parent

    # It may have been killed before this process came here.
    with contextlib.suppress(PermissionError):
        try:
            os.kill(parent, 0)
        except ProcessLookupError:
            os._exit(1)
    if os.getppid() != parent:
        return
    die_with_parent()
    if os.getppid() != parent:
        os._exit(1)
