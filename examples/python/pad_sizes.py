"""Plans padding for the lengths that a program saw, without a file.

python pad_sizes.py LENGTH [LENGTH...]
"""

from __future__ import annotations

import sys
from bisect import bisect_left

import shapewise


def padded(length: int, sizes: list[int]) -> int:
    """The size to pad a call to; beyond the last size it stays as it is."""
    at = bisect_left(sizes, length)
    return sizes[at] if at < len(sizes) else length


def main() -> int:
    lengths = [int(word) for word in sys.argv[1:]]
    plan = shapewise.buckets("-", stdin="\n".join(map(str, lengths)), max_buckets=8)
    sizes = [size for size in plan.boundaries if isinstance(size, int)]
    print(f"{plan.recommend.mode}: {plan.recommend.why}")
    for length in lengths:
        print(f"{length} -> {padded(length, sizes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
