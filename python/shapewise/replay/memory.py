"""Peak memory: of the device, or resident memory on a CPU. Needs torch."""

from __future__ import annotations

import contextlib
import resource
import sys
from pathlib import Path

import torch

__all__ = ["peak_bytes", "reset_peak"]

STATUS = Path("/proc/self/status")


def reset_peak(device: str) -> None:
    """Restart the measurement, if the system supports this."""
    if device.startswith("cuda"):
        torch.cuda.reset_peak_memory_stats(device)
        return
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")


def peak_bytes(device: str) -> int:
    """The peak since reset_peak, or the peak of the process if that is not available."""
    if device.startswith("cuda"):
        return torch.cuda.max_memory_allocated(device)
    with contextlib.suppress(OSError, ValueError):
        for line in STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
