"""The recorder of this process: starts, notes calls, writes, stops. Needs torch when it starts."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .files import CallFile
from .history import Changes, History, Limits

if TYPE_CHECKING:
    from .hook import ContextHook
    from .keys import StateKey
    from .samples import Samples
    from .targets import Target

__all__ = ["Recorder", "active_recorder", "start_recording", "stop_recording"]

LOOK_SECONDS = 1.0
COUNTS_SECONDS = 10.0
COUNTS_SHARE = 1000  # writing counts takes at most this part of the time
MOST_FUNCTIONS = 4096
MOST_OTHERS = 256


@dataclass
class _Function:
    """One function, as one context compiles it."""

    target: Target
    history: History
    wrapper: int
    policy: dict[str, Any] | None  # None: already written
    function: Any  # held, so that its id stays its own
    samples: Samples | None  # None: it is not probed
    others: list[Any] = field(default_factory=list)  # functions of later wrappers, to be probed


def rank_of_process() -> int | None:
    """The rank of this process in its job; None if no rank is known yet."""
    torch = sys.modules.get("torch")
    try:
        distributed: Any = getattr(torch, "distributed", None)
        is_there = distributed is not None and distributed.is_available()
        if is_there and distributed.is_initialized():
            return int(distributed.get_rank())
        return int(os.environ["RANK"])
    except (KeyError, ValueError, AttributeError, RuntimeError):
        return None


class Recorder:
    """Collects the calls of one process and writes them."""

    def __init__(
        self,
        folder: Path,
        limits: Limits,
        warn: Callable[[str], None] | None = None,
        with_samples: bool = False,
    ) -> None:
        """If recording stops, `warn` gets the reason once; without `warn` it goes to stderr.
        `with_samples`: probe() is going to be called."""
        self.folder = folder
        self.is_active = False
        self._limits = limits
        self._warn = warn or _warn_on_stderr
        self._functions: dict[str, History] = {}  # by place
        self._wrappers: dict[str, int] = {}
        self._usual: StateKey | None = None
        self._with_samples = with_samples
        self._sampled: dict[str, _Function] = {}  # by place
        self._begun = time.monotonic()
        self._file: CallFile | None = None
        self._begin_process()

    def _begin_process(self) -> None:
        """State that a fork must create again."""
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._thread: threading.Thread | None = None
        self._file = None
        self._writing = threading.Lock()
        self._ordered = Changes()
        self._counted = Changes()
        self._num_runs = 0
        self._next_counts = 0.0
        for history in self._functions.values():
            history.forget(self._ordered, self._counted)

    def start(self) -> None:
        """Starts recording calls."""
        from torch._dynamo import eval_frame

        from .keys import call_key

        self._eval_frame: Any = eval_frame
        self._call_key = call_key
        self.is_active = True
        atexit.register(self.finish)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._after_fork)

    def _after_fork(self) -> None:
        if not self.is_active:
            return
        if self._file is not None:
            self._file.close()
        self._begin_process()

    # Calls.

    def note(
        self, hook: ContextHook, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """A call of a compiled function begins."""
        try:
            known: _Function | None = hook.targets[id(function)]
        except KeyError:
            known = hook.targets[id(function)] = self._add(hook, function)
        if known is None:
            return
        stance = self._eval_frame._stance.stance
        key = self._call_key(known.wrapper, stance, args, kwargs)
        with self._lock:
            self._add_call(known.history, key, lambda: self._describe_new(known, key, args, kwargs))
            samples = known.samples
            if samples is not None and samples.has_objects:
                latest = known.history.latest
                if latest is not None:
                    if latest.form is None:
                        latest.form = samples.form(key)
                    latest.form.hold(args, kwargs)

    def note_inputs(self, place: str, key: Any, inputs: str) -> None:
        """A batch, or other inputs without a call of a compiled function: `inputs` as JSON."""
        with self._lock:
            history = self._history(place)
            text = f'{{{self._ranked(history)}, "inputs": {inputs}'
            self._add_call(history, key, lambda: text)

    def _add_call(self, history: History, key: Any, describe: Callable[[], str | None]) -> None:
        self._num_runs += history.add(key, describe, self._num_runs)
        if self._thread is None:
            self._begin_writing()

    def _add(self, hook: ContextHook, function: Any) -> _Function | None:
        from .targets import policy_of, target_of

        target = target_of(function)
        if target is None or len(self._functions) >= MOST_FUNCTIONS:
            return None
        with self._lock:
            place = target.place
            wrapper = self._wrappers.get(place, 0)
            self._wrappers[place] = min(wrapper + 1, 0xFFFF)
            policy = policy_of(hook.context)
            samples: Samples | None = None
            if self._with_samples and wrapper == 0:
                from .samples import Samples as NewSamples

                samples = NewSamples(target.signature)
            known = _Function(target, self._history(place), wrapper, policy, function, samples)
            if samples is not None:
                self._sampled[place] = known
            elif place in self._sampled and len(self._sampled[place].others) <= MOST_OTHERS:
                self._sampled[place].others.append(function)
            return known

    def _history(self, place: str) -> History:
        history = self._functions.get(place)
        if history is None:
            history = self._functions[place] = History(
                place, self._limits, self._ordered, self._counted
            )
        return history

    def _describe_new(
        self, known: _Function, key: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> str | None:
        text = self._describe(known, key)
        if text is not None and known.samples is not None:
            known.samples.add(key, args, kwargs)
        return text

    def _describe(self, known: _Function, key: Any) -> str | None:
        from .describe import describe_call

        if self._usual is None:
            self._usual = key.state
        text = describe_call(
            key,
            self._ranked(known.history),
            known.target,
            self._usual,
            known.policy,
        )
        if text is not None:
            known.policy = None
        return text

    def _ranked(self, history: History) -> str:
        rank = rank_of_process()
        return history.place if rank is None else f'{history.place}, "rank": {rank}'

    # Files.

    def _begin_writing(self) -> None:
        self._thread = threading.Thread(target=self._write_on, name="shapewise-record", daemon=True)
        with contextlib.suppress(RuntimeError):  # the interpreter is going away
            self._thread.start()
        multiprocessing = sys.modules.get("multiprocessing.util")
        if multiprocessing is not None:
            # A forked process of multiprocessing exits without atexit.
            multiprocessing.Finalize(None, self.finish, exitpriority=0)

    def _write_on(self) -> None:
        wake = self._wake
        while not wake.wait(LOOK_SECONDS):
            if not self.is_active or self._wake is not wake:
                return
            now = time.monotonic()
            is_due = now >= self._next_counts
            self.write(with_counts=is_due)
            if is_due:
                took = time.monotonic() - now
                self._next_counts = now + max(COUNTS_SECONDS, took * COUNTS_SHARE)

    def write(self, with_counts: bool = True) -> None:
        """Writes pending calls."""
        with self._writing:
            with self._lock:
                ordered = self._ordered.take()
                counted = (self._counted if with_counts else Changes()).take()
            if not self.is_active or not any((*ordered, *counted)):
                return
            try:
                if self._file is None:
                    rank = rank_of_process()
                    name = f"{self._pid}" if rank is None else f"rank{rank}-{self._pid}"
                    self._file = CallFile(self.folder, f"calls-{name}")
                self._file.append(ordered[0])
                self._file.count(ordered[1])
                self._file.give_up(counted[2])
                self._file.put(counted[0])
                self._file.count(counted[1])
            except OSError as error:
                why = f"{self.folder}: {error.strerror or error}"
            else:
                return
        self.fail(why)

    def fail(self, why: str) -> None:
        """Stops permanently, with one warning."""
        if not self.is_active:
            return
        self.is_active = False
        self._wake.set()
        self._warn(f"recording of calls stopped: {why}")

    def finish(self) -> None:
        """Writes everything that is pending."""
        if os.getpid() != self._pid or not self.is_active:
            return
        self._wake.set()
        self.write()
        if self.is_active:
            # Later calls start a new thread, and the file continues.
            self._wake = threading.Event()
            self._thread = None

    def probe(self, folder: Path) -> None:
        """Traces each recorded function again, in a fork, which writes to `folder`."""
        if os.getpid() != self._pid or not self.is_active or (rank_of_process() or 0) > 0:
            return
        self.finish()
        if not self._sampled:
            return
        from .probe import Probed, probe_functions

        functions = [
            Probed(f.target.members, f.function, f.samples, f.others)
            for f in self._sampled.values()
            if f.samples is not None and f.samples.forms and len(f.others) <= MOST_OTHERS
        ]

        def in_fork() -> None:
            self.is_active = False  # calls of the fork are not calls of the program

        probe_functions(functions, folder, time.monotonic() - self._begun, in_fork)

    def stop(self) -> None:
        """Writes everything that is pending, and stops recording."""
        self.finish()
        self.is_active = False
        self._wake.set()
        atexit.unregister(self.finish)
        if self._file is not None:
            self._file.close()


_recorder: Recorder | None = None


def active_recorder() -> Recorder | None:
    """The recorder of this process."""
    return _recorder if _recorder is not None and _recorder.is_active else None


def start_recording(
    folder: Path,
    limits: Limits,
    warn: Callable[[str], None] | None = None,
    are_there_contexts: bool = True,
    with_samples: bool = False,
) -> Recorder:
    """Starts the recorder of this process. Raises RuntimeError if there is one, OSError if the
    folder cannot be made.

    `are_there_contexts`: something may have been compiled already.
    """
    global _recorder
    if _recorder is not None:
        raise RuntimeError(f"calls are recorded already, in {_recorder.folder}")
    folder.mkdir(parents=True, exist_ok=True)
    from .hook import hook_contexts

    recorder = Recorder(folder.absolute(), limits, warn, with_samples)
    if not hook_contexts(recorder, are_there_contexts):
        raise RuntimeError("this version of torch is not known well enough to record its calls")
    recorder.start()
    _recorder = recorder
    return recorder


def stop_recording() -> None:
    """Stops the recorder of this process, if there is one."""
    global _recorder
    if _recorder is None:
        return
    from .hook import unhook_contexts

    unhook_contexts()
    _recorder.stop()
    _recorder = None


def _warn_on_stderr(message: str) -> None:
    print(f"shapewise: warning: {message}", file=sys.stderr, flush=True)
