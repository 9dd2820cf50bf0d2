"""Runs a program and measures what it took: shared by the benchmarks."""

from __future__ import annotations

import resource
import subprocess
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Run:
    """One process: its seconds by the wall clock and of CPU, its peak of memory beyond mapped files."""

    seconds: float
    user: float
    system: float
    anon_mib: float
    output: bytes

    @property
    def cpu(self) -> float:
        return self.user + self.system


def anonymous_mib(pid: int) -> float:
    """Resident memory of a process that is not mapped from files, in MiB; 0 once it is gone."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) / 1024
    except (OSError, IndexError):
        pass
    return 0.0


def timed(command: list[str], stdin: Path | None = None) -> Run:
    """Runs `command`; `stdin` is fed through a pipe, whose feeder counts for the CPU seconds, too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    feeder = subprocess.Popen(["cat", str(stdin)], stdout=subprocess.PIPE) if stdin else None
    source = feeder.stdout if feeder else subprocess.DEVNULL
    process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    peak = 0.0
    done = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not done.wait(0.005):
            peak = max(peak, anonymous_mib(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    output, _ = process.communicate()
    seconds = time.perf_counter() - begin
    done.set()
    watcher.join()
    if feeder:
        feeder.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Run(seconds, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, peak, output)


def median_of(command: list[str], runs: int, key: Callable[[Run], float], stdin: Path | None = None) -> Run:
    """The run with the median of `key`; before more than one, another warms the page cache."""
    if runs > 1:
        timed(command, stdin)
    results = sorted((timed(command, stdin) for _ in range(runs)), key=key)
    return results[len(results) // 2]
