"""Where steps run: processes of this machine, or Ray.

An engine takes a step as soon as it is submitted, and hands what earlier steps made to those that
were given their handles. The result of a step does not depend on where it ran.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from .errors import import_extra

__all__ = ["Engine", "LocalEngine", "LostStepError", "RayEngine"]


class LostStepError(Exception):
    """A step gave no result, even after several tries."""


class Engine(Protocol):
    """Runs functions of modules, with arguments that can be sent to other processes."""

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The handle of `function(*arguments)`; handles among the arguments are its results."""
        ...

    def result(self, handle: Any) -> Any:
        """Waits for a step. Raises LostStepError if it gave no result."""
        ...

    def close(self) -> None:
        """Releases all resources."""
        ...


class LocalEngine:
    """Steps wait for programs, so threads are enough to keep processors busy."""

    def __init__(self, workers: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(workers or len(os.sched_getaffinity(0)))

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """The pool takes steps in order, so a step starts after those it waits for."""
        return self._pool.submit(_call, function, arguments)

    def result(self, handle: Any) -> Any:
        """The result of the step."""
        return handle.result()

    def close(self) -> None:
        """Drops steps that have not started."""
        self._pool.shutdown(cancel_futures=True)


def _call(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    return function(*(each.result() if isinstance(each, Future) else each for each in arguments))


class RayEngine:
    """Steps are Ray tasks: handles are references to objects, which Ray makes again if it has lost
    them with a node.
    """

    def __init__(self, address: str | None = None, retries: int = 8) -> None:
        self._ray = import_extra("ray", "ray")
        self._is_own = not self._ray.is_initialized()
        if self._is_own:
            self._ray.init(address=address, log_to_driver=False)
        self._retries = retries
        self._remotes: dict[Callable[..., Any], Any] = {}

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Ray waits for objects among the arguments."""
        if function not in self._remotes:
            self._remotes[function] = self._ray.remote(num_cpus=1, max_retries=self._retries)(
                function
            )
        return self._remotes[function].remote(*arguments)

    def result(self, handle: Any) -> Any:
        """The result of the step."""
        try:
            return self._ray.get(handle)
        except self._ray.exceptions.RayError as error:
            raise LostStepError(f"lost by Ray: {type(error).__name__}") from error

    def close(self) -> None:
        """Keeps an existing connection."""
        if self._is_own:
            self._ray.shutdown()
