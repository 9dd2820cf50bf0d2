#!/usr/bin/env python3
"""Checks that the time and memory of the program grow no faster than its input.

    tests/bench/growth.py PROGRAM [--large] [--only TEXT] [--jobs N] [--first-look]

Runs each pair of growth_inputs.PAIRS with n, 2n and 4n of the thing that its generator repeats. At each doubling the
instructions beyond those of start-up may grow by a factor of at most MAX_RATIO, or by more where the bytes of the input
more than double. The peak memory must stay below the bound in analyzer/docs/memory.md. --large takes LARGE times n, and
adds one run with HUGE times n that has a time limit.
--first-look compares CPU seconds, which are right for slow runs only. See analyzer/docs/growth.md.

Exit status: 0 all laws hold, 1 one does not, 77 neither perf nor valgrind is installed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from count_instructions import SKIPPED, count, find_counter
from growth_inputs import COMMANDS, PAIRS, Pair

MAX_RATIO = 2.3
# Growth by less than this is too small compared with start-up.
LEAST_INSTRUCTIONS = 1_000_000
LEAST_SECONDS = 0.02
LARGE = 8
HUGE = 256
HUGE_BYTES = 32 << 20
MAX_SECONDS = 60


@dataclass
class Outcome:
    """What a pair took."""

    pair: Pair
    ratios: list[float] = field(default_factory=list)
    spent: float = 0
    peak_mib: float = 0
    bound_mib: float = 0
    bytes: int = 0
    seconds: float = 0
    problems: list[str] = field(default_factory=list)

    def verdict(self) -> str:
        """What is wrong, for the end of the row."""
        return "".join(f"! {problem} " for problem in self.problems)


def write_input(pair: Pair, n: int, path: Path) -> None:
    content = pair.make(n)
    if isinstance(content, bytes):
        path.write_bytes(content)
        return
    path.mkdir()
    for name, own in content.items():
        (path / name).write_bytes(own)


def make_input(pair: Pair, n: int, folder: Path) -> Path:
    """Writes an input in a process of its own: Linux counts the memory of who starts a program as the program's."""
    path = folder / f"input{pair.suffix}"
    writer = os.fork()
    if writer == 0:
        try:
            write_input(pair, n, path)
        except BaseException:  # noqa: BLE001
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(writer, 0)
    if status != 0:
        raise RuntimeError(f"{pair.generator}({n}) fails")
    return path


def size_of(path: Path) -> int:
    return sum(one.stat().st_size for one in path.iterdir()) if path.is_dir() else path.stat().st_size


def command_of(program: str, pair: Pair, path: Path) -> list[str]:
    words = {"IN": str(path), "OUT": str(path.parent / "output")}
    return [program, *(words.get(word, word.replace("IN/", f"{path}/")) for word in COMMANDS[pair.command])]


def run(command: list[str], stdin: Path | None) -> tuple[int, float, float, str]:
    """Exit status, CPU seconds, peak MiB and the end of the messages of a run."""
    with open(stdin or os.devnull, "rb") as source, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen(
            ["sh", "-c", f'ulimit -t {MAX_SECONDS}; exec "$0" "$@"', *command],
            stdin=source, stdout=subprocess.DEVNULL, stderr=messages,
        )  # fmt: skip
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        messages.seek(0)
        text = messages.read().decode(errors="replace")[-300:].strip()
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, text


def measure(
    program: str, counter: str, pair: Pair, n: int, outcome: Outcome, *, is_huge: bool = False
) -> float | None:
    """Instructions, or seconds, of a run with n things; None: it failed. A huge input may be refused."""
    with tempfile.TemporaryDirectory() as folder:
        path = make_input(pair, n, Path(folder))
        command = command_of(program, pair, path)
        stdin = path if command[-1] == "-" else None
        status, seconds, peak, text = run(command, stdin)
        outcome.bytes, outcome.seconds, outcome.peak_mib = size_of(path), seconds, peak
        outcome.bound_mib = pair.bound_mib(outcome.bytes)
        if status not in ((0, 1, 2) if is_huge else (0, 1, pair.status)):
            outcome.problems.append(f"n={n}: exit status {status} after {seconds:.1f} s: {text}")
            return None
        if peak > outcome.bound_mib:
            outcome.problems.append(
                f"n={n}: {peak:.0f} MiB for {outcome.bytes} bytes, {outcome.bound_mib:.0f} MiB allowed"
            )
        if counter == "none":
            return None
        return seconds if counter == "seconds" else count(program, command[1:], counter, stdin, pair.status)


def check(program: str, counter: str, pair: Pair, scale: int) -> Outcome:
    """The laws of one pair."""
    outcome = Outcome(pair)
    # One of the thing needs all that is made once.
    start_up = measure(program, counter, pair, 1, outcome) or 0
    least = LEAST_SECONDS if counter == "seconds" else LEAST_INSTRUCTIONS
    before: float | None = None
    bytes_before = 0
    for n in (pair.n * scale, 2 * pair.n * scale, 4 * pair.n * scale):
        spent = measure(program, counter, pair, n, outcome)
        if spent is None:
            return outcome
        outcome.spent = max(spent - start_up, 0)
        if before is not None:
            ratio = outcome.spent / max(before, least)
            # Text that is nested n deep and indented has n * n bytes: work is allowed to grow as the bytes do.
            ratio /= max(outcome.bytes / bytes_before / 2, 1)
            outcome.ratios.append(ratio)
            if ratio > MAX_RATIO:
                outcome.problems.append(f"n={n}: {ratio:.2f} times as much as with half")
        before, bytes_before = outcome.spent, outcome.bytes
    if scale > 1:
        huge = min(HUGE * pair.n, max(4 * pair.n * scale, 4 * pair.n * scale * HUGE_BYTES // max(outcome.bytes, 1)))
        measure(program, "none", pair, huge, outcome, is_huge=True)
    return outcome


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--large", action="store_true", help="take larger n, and the pairs that need it")
    parser.add_argument("--only", default="", help="only pairs whose name contains this text")
    parser.add_argument("--jobs", type=int, default=1, help="pairs at a time")
    parser.add_argument("--first-look", action="store_true", help="compare CPU seconds instead of instructions")
    args = parser.parse_args()
    counter = "seconds" if args.first_look else find_counter()
    if counter is None:
        print("skipped: neither perf nor valgrind counts instructions here")
        return SKIPPED
    pairs = [pair for pair in PAIRS if args.only in pair.name and (args.large or pair.is_small)]
    scale = LARGE if args.large else 1
    outcomes = []
    print(
        f"{'command':24} {'generator':32} {'n':>9} {'ratio per doubling':>18} {'M instr.':>9} {'peak MiB':>9} {'of':>5}"
    )
    with ThreadPoolExecutor(args.jobs) as pool:
        for outcome in pool.map(lambda pair: check(args.program, counter, pair, scale), pairs):
            outcomes.append(outcome)
            ratios = " ".join(f"{ratio:.2f}" for ratio in outcome.ratios)
            spent = outcome.spent if counter == "seconds" else outcome.spent / 1e6
            print(
                f"{outcome.pair.command:24} {outcome.pair.generator:32} {outcome.pair.n * scale:9} {ratios:>18} {spent:9.1f}"
                f" {outcome.peak_mib:9.0f} {outcome.bound_mib:5.0f}  {outcome.verdict()}",
                flush=True,
            )
    broken = sum(1 for outcome in outcomes if outcome.problems)
    worst = max((ratio for outcome in outcomes for ratio in outcome.ratios), default=0)
    print(f"{len(outcomes)} pairs, largest ratio {worst:.2f}, {broken} break a law; instructions by {counter}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
