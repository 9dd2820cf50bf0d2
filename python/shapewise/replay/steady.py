"""Times of a drifting machine, corrected to its initial speed."""

from __future__ import annotations

import math
import statistics
from typing import Any

__all__ = ["REFERENCE", "SteadyTimes"]

REFERENCE = "reference"  # the figure of the call that is timed again in every request
# Others slow down about as much as the reference call; the error is up to this share.
UNSURE_SHARE = 0.25
NEIGHBOURS = 3
# For figures with one value per size, in addition to samples.
COMPILE_FIGURES = ("compile_seconds", "dynamic_compile_seconds")


def _smoothed(times: list[float]) -> list[float]:
    """The median of each and its neighbors.

    A machine that becomes slower in the middle stays so, a single call that was interrupted is
    left out.
    """
    last = max(0, len(times) - NEIGHBOURS)
    begins = (min(max(0, at - NEIGHBOURS // 2), last) for at in range(len(times)))
    return [statistics.median(times[begin : begin + NEIGHBOURS]) for begin in begins]


class SteadyTimes:
    """Scales times to the speed that the machine had at the first request.

    Sizes are timed one after the other, so that a machine which slows down meanwhile would make the
    later ones look dear. One call is the same in every request, the reference; what it takes longer
    than at first, everything else that is timed beside it takes longer, too.
    """

    def __init__(self) -> None:
        self._size: int | None = None
        self._first = 0.0

    def reference_size(self, size: int) -> int:
        """The size of the reference call for a request of `size`: that of the first answer."""
        return size if self._size is None else self._size

    def figures(
        self, size: int, samples: dict[str, list[float]], given: dict[str, float | None]
    ) -> dict[str, Any]:
        """Medians, quartile ranges and relative spreads by figure, and the time of the reference.

        `samples` has as many of each figure as there were rounds; those of the reference may be
        missing, and nothing is scaled then. `given`: figures of which there is one only.
        """
        references = samples.get(REFERENCE, [])
        drift = 0.0
        whole: dict[str, Any] = {REFERENCE: None}
        if references:
            now = statistics.median(references)
            if self._size is None:
                self._size, self._first = size, now
            drift = now / self._first - 1
            whole[REFERENCE] = {"size": self._size, "seconds": now, "drift": drift}
        scales = [self._first / seconds for seconds in _smoothed(references)]
        for figure, times in samples.items():
            if figure == REFERENCE:
                continue
            steady = [a * b for a, b in zip(times, scales, strict=True)] if scales else times
            low, median, high = statistics.quantiles(steady, n=4)
            prefix = "" if figure == "seconds" else f"{figure}_"
            whole[figure] = median
            whole[f"{prefix}iqr"] = high - low
            whole[f"{prefix}spread"] = math.hypot((high - low) / 2 / median, drift * UNSURE_SHARE)
        for figure in COMPILE_FIGURES:
            seconds = given.get(figure)
            if seconds is not None:
                whole[figure] = seconds / (1 + drift)
        return whole
