"""Statistics of repeated measurements: median, interval, and whether two differ."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Mapping, Sequence

__all__ = ["bootstrap_interval", "differ", "indistinguishable_from_best"]

RESAMPLES = 2000
COVERAGE = 0.95
LEAST_DIFFERENCE = 0.01  # what timing of this kind does not resolve, however often it is repeated

# Student's t, two-sided 95 %, by degrees of freedom; beyond 30 the normal value.
STUDENT = (
    *(12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228),
    *(2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086),
    *(2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042),
)
NORMAL = 1.960


def bootstrap_interval(groups: Sequence[Sequence[float]], seed: int) -> tuple[float, float]:
    """A 95 % percentile interval of the median over all samples.

    A group holds the samples of one process. Groups are drawn first and samples within them then
    (two-level bootstrap): samples of one process share what that process was lucky with.
    """
    groups = [group for group in groups if group]
    if not groups:
        raise ValueError("no samples")
    chance = random.Random(seed)
    medians = []
    for _ in range(RESAMPLES):
        drawn: list[float] = []
        for group in chance.choices(groups, k=len(groups)):
            drawn.extend(chance.choices(group, k=len(group)))
        medians.append(statistics.median(drawn))
    medians.sort()
    cut = round((1 - COVERAGE) / 2 * (RESAMPLES - 1))
    return medians[cut], medians[-1 - cut]


def differ(first: Sequence[float | None], second: Sequence[float | None]) -> bool:
    """Whether two series of positive figures, paired by repetition, differ by more than noise.

    Pairs are ratios, so that what slows the machine for a while slows both of a pair. They differ
    if Student's 95 % interval of the mean logarithm of the ratios leaves 0 out, and the mean is
    beyond LEAST_DIFFERENCE. A single pair tells nothing apart.
    """
    logs = [
        math.log(a / b)
        for a, b in zip(first, second, strict=False)
        if a is not None and b is not None
    ]
    if len(logs) < 2:
        return False
    freedom = len(logs) - 1
    quantile = STUDENT[freedom - 1] if freedom <= len(STUDENT) else NORMAL
    half_width = quantile * statistics.stdev(logs) / math.sqrt(len(logs))
    return abs(statistics.mean(logs)) > max(half_width, math.log1p(LEAST_DIFFERENCE))


def indistinguishable_from_best(figures: Mapping[str, Sequence[float | None]]) -> list[str]:
    """The names whose median is the greatest, or does not differ from it; the greatest first."""
    medians = {
        name: statistics.median(known)
        for name, series in figures.items()
        if (known := [figure for figure in series if figure is not None])
    }
    if not medians:
        return []
    ranked = sorted(medians, key=lambda name: -medians[name])
    best = figures[ranked[0]]
    return [name for name in ranked if name == ranked[0] or not differ(best, figures[name])]
