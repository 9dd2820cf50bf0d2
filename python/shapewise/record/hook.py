"""Observes the calls of compiled functions when they begin. Imports torch.

A context of torch.compile (`_TorchDynamoContext`) has a list of functions that it runs when a call
begins, each of which gives one to run when the call ends. One of ours at the head of that list
finds the arguments in the frame that runs it: nothing has to be wrapped.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any, Protocol

import torch._dynamo.eval_frame as eval_frame

__all__ = ["Calls", "hook_contexts", "is_call", "unhook_contexts"]

FRAMES_UP = 3  # a comprehension has a frame of its own before Python 3.12
LOCALS = frozenset(("args", "kwargs", "fn"))


class Calls(Protocol):
    """Receives the calls."""

    is_active: bool

    def note(
        self, hook: ContextHook, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """A call begins."""

    def fail(self, why: str) -> None:
        """Recording cannot continue."""


def _nothing() -> None:
    """Runs after a call has ended."""


class ContextHook:
    """The entry in `enter_exit_hooks` of one context."""

    __slots__ = ("calls", "context", "targets")

    def __init__(self, calls: Calls, context: Any) -> None:
        self.calls = calls
        self.context = context  # which holds us: both go together
        self.targets: dict[int, Any] = {}  # by id of the function, which the context's caller holds

    def __call__(self) -> Callable[[], None]:
        calls = self.calls
        if calls.is_active:
            try:
                frame: FrameType | None = sys._getframe(1)
                if id(frame.f_code) not in _codes:  # type: ignore[union-attr]
                    frame = frame.f_back  # type: ignore[union-attr]
                    if frame is None or id(frame.f_code) not in _codes:
                        frame = _frame_of_call(frame)
                if frame is not None:
                    given = frame.f_locals
                    calls.note(self, given["fn"], given["args"], given["kwargs"])
            except Exception as error:  # whatever it is, the call goes on
                calls.fail(f"{type(error).__name__}: {error}")
        return _nothing


# Functions made by contexts, by id: hashing code takes longer than everything else.
_codes: dict[int, CodeType] = {}


def is_call(frame: FrameType) -> bool:
    """Whether a frame is that of a context that calls a function: with `fn`, `args`, `kwargs`."""
    return id(frame.f_code) in _codes


def _frame_of_call(frame: FrameType | None) -> FrameType | None:
    for _ in range(FRAMES_UP):
        if frame is None:
            break
        code = frame.f_code
        if LOCALS.issubset(code.co_varnames + code.co_freevars + code.co_cellvars):
            _codes[id(code)] = code
            return frame
        frame = frame.f_back
    return None


def hook_contexts(calls: Calls, are_there_any: bool) -> bool:
    """Hooks all existing and future contexts. False if this torch has no list of hooks."""
    base: Any = eval_frame._TorchDynamoContext
    original = base.__call__

    def call(self: Any, function: Any) -> Any:
        _hook(calls, self)
        return original(self, function)

    call.__wrapped__ = original  # type: ignore[attr-defined]
    found = [c for c in gc.get_objects() if _is_context(c)] if are_there_any else []
    if any(not hasattr(context, "enter_exit_hooks") for context in found):
        return False
    base.__call__ = call
    for context in found:
        _hook(calls, context)
    return True


def unhook_contexts() -> None:
    """Restores the state before hook_contexts()."""
    base: Any = eval_frame._TorchDynamoContext
    base.__call__ = getattr(base.__call__, "__wrapped__", base.__call__)
    for context in gc.get_objects():
        if _is_context(context):
            hooks = getattr(context, "enter_exit_hooks", [])
            hooks[:] = [hook for hook in hooks if not isinstance(hook, ContextHook)]


def _is_context(value: Any) -> bool:
    return issubclass(type(value), eval_frame._TorchDynamoContext)


def _hook(calls: Calls, context: Any) -> None:
    # Contexts that disable Dynamo, or only run compiled code, are not recorded.
    hooks = getattr(context, "enter_exit_hooks", None)
    if not callable(getattr(context, "callback", None)):
        return
    if hooks is None:
        calls.fail("this version of torch has no list of functions to run before a call")
    elif not any(isinstance(hook, ContextHook) for hook in hooks):
        hooks.insert(0, ContextHook(calls, context))
