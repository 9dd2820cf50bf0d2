"""A process that ends with the one that started it. Does not import torch."""

from __future__ import annotations

import contextlib
import ctypes
import signal


def die_with_parent() -> None:
    """Makes Linux end this process when its parent ends, for any reason."""
    with contextlib.suppress(OSError, AttributeError):
        set_death_signal = 1  # PR_SET_PDEATHSIG
        ctypes.CDLL(None).prctl(set_death_signal, int(signal.SIGKILL))
