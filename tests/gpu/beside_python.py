#!/usr/bin/env python3
"""Runs and times programs of dumps.py natively and by Python, on one device.

    tests/gpu/beside_python.py check|curves SHAPEWISE_REPLAY FOLDER DEVICE SIZE ...

check: the native program makes inputs, runs on them, and Python runs the same text on the same inputs: results must
be those of Python but for rounding. curves: seconds and bytes at each size, at the largest Python's beside. Prints JSON; exit status 0
if all held, else 1.
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

from shapewise.replay.graph_program import HEADER

# How far results may be apart, as a part of the greatest value. Most are the same bits: the kernels are the same. On a GPU
# convolutions of float32 compute with 10 bits of mantissa.
TOLERANCES = {torch.float16: 4e-3, torch.bfloat16: 3e-2, torch.float32: 1e-3 if torch.cuda.is_available() else 1e-5}
WARM_RUNS, MOST_RUNS, MOST_SECONDS = 3, 50, 0.5
# At the largest size a graph takes the device so long that who launches its kernels does not matter.
SAME_TIME = (0.6, 1.6)

Row = dict[str, Any]


class Program:
    """One graph, as text for Python and as a program for the native replay."""

    def __init__(self, path: Path, device: str) -> None:
        self.name = path.stem
        self.path = path
        self.device = device
        told = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
        (self.symbol,) = (symbol["name"] for symbol in told["symbols"])
        self.statements = len(told["nodes"])
        text = re.sub(r"^class [^(]+\(", "class Dump(", path.with_suffix(".txt").read_text(encoding="utf-8"), flags=re.M)
        namespace: dict[str, Any] = {}
        exec(HEADER + text.replace("device(type='cpu')", f"device(type='{device}')"), namespace)
        self.forward: Callable[..., Any] = namespace["Dump"]().forward


def run_natively(replay: str, command: list[str]) -> tuple[subprocess.CompletedProcess[str], list[Row]]:
    """A command of the native replay, and the lines it printed."""
    done = subprocess.run([replay, *command], capture_output=True, text=True, check=False)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def apart(got: Any, wanted: Any) -> float | None:
    """The greatest difference as a part of the greatest value; None: they cannot be compared."""
    if not isinstance(wanted, torch.Tensor):
        return 0.0 if got == wanted else None
    if not isinstance(got, torch.Tensor) or got.shape != wanted.shape or got.dtype != wanted.dtype:
        return None
    if got.device != wanted.device:
        return None
    if torch.equal(got, wanted):
        return 0.0
    error = (got.double() - wanted.double()).abs().max().item()
    return error / max(1e-3, wanted.double().abs().max().item())


def in_list(results: Any) -> list[Any]:
    """What a graph returns, one result or several."""
    return list(results) if isinstance(results, list | tuple) else [results]


def inputs_of(program: Program, replay: str, size: int, folder: Path) -> tuple[list[Any], list[Any], str]:
    """What the native program made up, what it computed of that, and why it did not."""
    given, returned = folder / "in.pt", folder / "out.pt"
    returned.unlink(missing_ok=True)
    command = ["run", str(program.path), "--device", program.device, "--bind", f"{program.symbol}={size}"]
    command += ["--threads", str(torch.get_num_threads())]
    done, _ = run_natively(replay, [*command, "--save-inputs", str(given), "--outputs", str(returned)])
    if not returned.exists():
        return [], [], f"status {done.returncode}: {done.stderr.strip()[:400]}"
    arguments = [value for _, value in torch.load(given, weights_only=False)]
    return arguments, in_list(torch.load(returned, weights_only=False)), ""


def check(program: Program, replay: str, size: int, folder: Path) -> Row:
    """Whether one program computes at one size what Python does."""
    row: Row = {"program": program.name, "size": size, "statements": program.statements}
    arguments, got, why = inputs_of(program, replay, size, folder)
    if why:
        return {**row, "equal": False, "why": why}
    with torch.no_grad():
        wanted = in_list(program.forward(*arguments))
    errors = [apart(*pair) for pair in zip(got, wanted, strict=True)]
    allowed = [TOLERANCES.get(result.dtype, 0.0) if isinstance(result, torch.Tensor) else 0.0 for result in wanted]
    equal = all(error is not None and error <= most for error, most in zip(errors, allowed, strict=True))
    known = [error for error in errors if error is not None]
    worst = max(known, default=0.0) if len(known) == len(errors) else None
    devices = sorted({str(result.device) for result in wanted if isinstance(result, torch.Tensor)})
    return {**row, "equal": equal, "identical": worst == 0.0, "relative_error": worst, "device": " ".join(devices)}


def python_seconds(run: Callable[[], Any], device: str) -> float:
    """The median of a call, on a GPU by events."""
    is_cuda = device.startswith("cuda")
    event: Any = torch.cuda.Event
    seconds: list[float] = []
    for _ in range(WARM_RUNS):
        run()
    last = time.perf_counter() + MOST_SECONDS
    while len(seconds) < 5 or (len(seconds) < MOST_RUNS and time.perf_counter() < last):
        if is_cuda:
            begin, end = event(enable_timing=True), event(enable_timing=True)
            torch.cuda.synchronize()
            begin.record()
            run()
            end.record()
            end.synchronize()
            seconds.append(begin.elapsed_time(end) / 1e3)
        else:
            begun = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds)


def curve(program: Program, replay: str, sizes: list[int], folder: Path) -> Row:
    """What a program costs at each size, and at the largest what the same text costs in Python."""
    command = ["curve", str(program.path), "--device", program.device, "--symbol", program.symbol]
    command += ["--sizes", ",".join(map(str, sizes)), "--seconds", str(MOST_SECONDS), "--threads", str(torch.get_num_threads())]
    done, points = run_natively(replay, command)
    row: Row = {"program": program.name, "symbol": program.symbol, "points": points}
    if done.returncode != 0 or len(points) != len(sizes):
        return {**row, "held": False, "why": f"status {done.returncode}: {done.stderr.strip()[:400]}"}
    largest = points[-1]
    arguments, _, why = inputs_of(program, replay, largest["size"], folder)
    if why:
        return {**row, "held": False, "why": why}
    is_cuda = program.device.startswith("cuda")
    if is_cuda:
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    with torch.no_grad():
        row["python_seconds"] = python_seconds(lambda: program.forward(*arguments), program.device)
    row["python_peak_bytes"] = torch.cuda.max_memory_allocated() if is_cuda else None
    row["native_over_python"] = largest["seconds"] / row["python_seconds"]
    row["held"] = all(point["seconds"] > 0 and point["peak_bytes"] > 0 for point in points)
    # Other processes use the CPU, too, so times of small graphs mean nothing.
    if is_cuda:
        row["held"] = row["held"] and SAME_TIME[0] <= row["native_over_python"] <= SAME_TIME[1]
    return row


def main(arguments: list[str]) -> int:
    """Reads the command line and prints one JSON object."""
    what, replay, folder, device, *sizes = arguments
    programs = [Program(path, device) for path in sorted(Path(folder).glob("*.json"))]
    numbers = [int(size) for size in sizes]
    if device == "cpu":
        # Times of small graphs on several threads only show how busy the machine is.
        torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as scratch:
        if what == "check":
            rows = [check(program, replay, size, Path(scratch)) for program in programs for size in numbers]
            held = all(row["equal"] for row in rows)
        else:
            rows = [curve(program, replay, numbers, Path(scratch)) for program in programs]
            held = all(row["held"] for row in rows)
    print(json.dumps({"held": held and bool(rows), "rows": rows}))
    return 0 if held and rows else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
