#!/usr/bin/env python3
"""Plans of buckets, measured on calls that they were not made from.

    tests/tools/check_buckets.py PROGRAM [SCORES]

Lengths are drawn here: prompts with a heavy tail, short outputs, sentences. The program plans on the first half of each, and
on windows of 100 calls; the second half is measured here, beside the exact optimum of that half itself (found by trying every
split), powers of two, equal widths and equal counts. SCORES holds score/buckets_score.py and data/lengths; where they lie beside
this checkout they are run too. Exit status: 0 all bounds are held, 1 one is not.
"""

from __future__ import annotations

import bisect
import json
import math
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

BUCKETS = (4, 8, 16)
DRAWS = 4000
WINDOW = 100


def draw_sets() -> dict[str, list[int]]:
    draw = random.Random(11)

    def prompt() -> int:
        if draw.random() < 0.3:
            return draw.choice((420, 1020, 4085)) + draw.randrange(12)
        return min(14000, 1 + int(draw.lognormvariate(6.3, 1.1)))

    return {
        "prompts": [prompt() for _ in range(DRAWS)],
        "outputs": [min(1900, 1 + int(draw.expovariate(1 / 14)) + (draw.random() < 0.02) * 300) for _ in range(DRAWS)],
        "sentences": [max(5, min(384, int(draw.gauss(150, 45)))) for _ in range(DRAWS)],
    }


def candidate(length: int) -> int:
    return length if length <= 32 else -(-length // 8) * 8


def overhead(boundaries: list[int], lengths: list[int]) -> float:
    return sum(boundaries[bisect.bisect_left(boundaries, length)] for length in lengths) / sum(lengths) - 1


def optimum(lengths: list[int], count: int, largest: int) -> list[int]:
    """Every split of every prefix: slow, and right."""
    weight = {largest: 0}
    for length in lengths:
        size = min(candidate(length), largest)
        weight[size] = weight.get(size, 0) + 1
    sizes = sorted(weight)
    before = [0]
    for size in sizes:
        before.append(before[-1] + weight[size])
    best = [(0.0, [])] + [(math.inf, [])] * len(sizes)
    for _ in range(count):
        best = [(0.0, [])] + [
            min(
                (best[i][0] + (before[j] - before[i]) * sizes[j - 1], [*best[i][1], sizes[j - 1]])
                for i in range(j)
                if best[i][0] < math.inf
            )
            for j in range(1, len(sizes) + 1)
        ]
    return best[-1][1]


def plan(program: str, lengths: list[int], count: int, largest: int) -> list[int]:
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(map(str, lengths)) + "\n")
        file.flush()
        command = [program, "buckets", file.name, "--buckets", str(count), "--max", str(largest), "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"exit status {done.returncode}: {done.stderr}")
    result = json.loads(done.stdout)
    before = math.inf
    for point in result["frontier"]:
        padding = overhead(point["boundaries"], lengths)
        if abs(padding - point["padding"]["train"]) > 1e-9 or padding > before + 1e-12:
            raise SystemExit(f"the frontier tells {point['padding']} of {point['boundaries']}, which pad {padding}")
        before = padding
    boundaries = result["boundaries"]
    if len(boundaries) > count or boundaries[-1] < largest or boundaries != sorted(set(boundaries)):
        raise SystemExit(f"{boundaries} are no {count} buckets to {largest}")
    return boundaries


def others(lengths: list[int], count: int, largest: int) -> dict[str, list[int]]:
    """Rules that people use, for as many buckets."""
    ordered = sorted(lengths)
    powers = [largest] + [1 << power for power in range(int(math.log2(largest)) + 1)]
    return {
        "powers of two": sorted(set(sorted(powers, reverse=True)[:count])),
        "equal widths": sorted({candidate(-(-largest * i // count)) for i in range(1, count + 1)} | {largest}),
        "equal counts": sorted({candidate(ordered[len(ordered) * i // count - 1]) for i in range(1, count)} | {largest}),
    }


def check(program: str) -> bool:
    held = True
    losses = []
    for name, lengths in draw_sets().items():
        first, second = lengths[: DRAWS // 2], lengths[DRAWS // 2 :]
        largest = -(-max(lengths) // 8) * 8
        for count in BUCKETS:
            ours = overhead(plan(program, first, count, largest), second)
            best = overhead(optimum(second, count, largest), second)
            losses.append(100 * ((1 + ours) / (1 + best) - 1))
            rivals = {rule: overhead(sizes, second) for rule, sizes in others(first, count, largest).items()}
            beaten = ours <= min(rivals.values())
            held &= beaten
            print(f"{name:10} {count:3}: {100 * ours:6.2f} %, best {100 * best:6.2f}, {'' if beaten else 'NOT '}below "
                  + ", ".join(f"{rule} {100 * value:.1f}" for rule, value in rivals.items()))
    few = []
    lengths = draw_sets()["prompts"]
    largest = -(-max(lengths) // 8) * 8
    rest = lengths[DRAWS // 2 :]
    best = overhead(optimum(rest, 8, largest), rest)
    for at in range(0, DRAWS // 2, 200):
        ours = overhead(plan(program, lengths[at : at + WINDOW], 8, largest), rest)
        few.append(100 * ((1 + ours) / (1 + best) - 1))
    print(f"loss to the best: median {statistics.median(losses):.2f} %, worst {max(losses):.2f} %; "
          f"from {WINDOW} calls: median {statistics.median(few):.2f} %, worst {max(few):.2f} %")
    return held and statistics.median(losses) <= 1 and max(losses) <= 4 and statistics.median(few) <= 10


def main() -> int:
    program = sys.argv[1]
    held = check(program)
    scores = Path(sys.argv[2]) if len(sys.argv) > 2 else Path()
    score = scores / "score" / "buckets_score.py"
    lengths = scores / "data" / "lengths"
    if score.is_file() and lengths.is_dir():
        command = [sys.executable, str(score), "--tool", program, "--lengths", str(lengths)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        print(done.stdout, done.stderr)
        held &= done.returncode == 0
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
