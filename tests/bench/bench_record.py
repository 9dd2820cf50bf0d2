#!/usr/bin/env python3
"""What recording costs: calls of compiled functions with and without it, in turns.

    tests/bench/bench_record.py [--seconds S] [--output FIGURES]

Prints microseconds of CPU time a call for a function that does next to nothing, where the difference is what recording
takes, and for training steps of three models, whose lengths vary; all threads of the process count. Medians of blocks
that alternate, so that other load falls on both. If that load is more than what recording takes, use the last columns:
CPU time within the recorder, as the calling thread spends it, and its share of a step, for `shapewise.record` and for
`shapewise run`, which also keeps samples of calls for probes. Needs torch.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

import torch  # noqa: E402
from torch import nn  # noqa: E402

import shapewise.record  # noqa: E402
from shapewise.record.history import Limits  # noqa: E402
from shapewise.record.recorder import Recorder, start_recording, stop_recording  # noqa: E402

BLOCKS = 20
SCHEMA = "shapewise.recorder_cost/1"


def small_call() -> Callable[[int], Any]:
    @torch.compile(backend="eager")
    def function(x: torch.Tensor, mask: torch.Tensor, *, scale: float, flag: bool) -> torch.Tensor:
        return x

    tensors = [(torch.ones(n, 8), torch.ones(n, dtype=torch.bool)) for n in range(2, 34)]
    return lambda step: function(*tensors[step % len(tensors)], scale=0.5, flag=True)


class Cache:
    """An object that a call takes, as the caches of generation are."""


def call_with_objects() -> Callable[[int], Any]:
    @torch.compile(backend="eager")
    def function(x: torch.Tensor, *, cache: Cache, options: dict[str, Any]) -> torch.Tensor:
        return x

    tensors = [torch.ones(n, 8) for n in range(2, 34)]
    caches = [Cache() for _ in range(4)]
    return lambda step: function(tensors[step % 32], cache=caches[step % 4], options={"state": caches[0], "depth": 2})


def encoder(width: int, layers: int, longest: int) -> Callable[[int], Any]:
    layer = nn.TransformerEncoderLayer(width, 2, 2 * width, batch_first=True, dropout=0.0)
    model = torch.compile(nn.TransformerEncoder(layer, layers, enable_nested_tensor=False), backend="aot_eager")
    batches = [torch.randn(4, longest // 2 + n % (longest // 2), width) for n in range(64)]

    def step(number: int) -> None:
        model(batches[number % len(batches)]).mean().backward()

    return step


class Tagger(nn.Module):
    """A model that takes many arguments, as those of transformers do."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(1000, 96)
        self.gru = nn.Linear(96, 96)
        self.out = nn.Linear(96, 1000)

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor | None = None,
        labels: torch.Tensor | None = None,
        position_ids: torch.Tensor | None = None,
        use_cache: bool = False,
        output_attentions: bool = False,
        return_dict: bool = True,
    ) -> torch.Tensor:
        assert attention_mask is not None and labels is not None and position_ids is not None
        hidden = self.embed(input_ids) + self.embed(position_ids)
        hidden = torch.tanh(self.gru(hidden)) * attention_mask[..., None]
        return nn.functional.cross_entropy(self.out(hidden).flatten(0, 1), labels.flatten())


def tagger() -> Callable[[int], Any]:
    model = torch.compile(Tagger(), backend="aot_eager")

    def batch(n: int) -> dict[str, Any]:
        shape = (2, 20 + n % 20)
        ids = torch.randint(0, 1000, shape)
        mask = torch.ones(shape)
        return {"input_ids": ids, "attention_mask": mask, "labels": ids, "position_ids": ids % 20, "use_cache": False}

    batches = [batch(n) for n in range(64)]

    def step(number: int) -> None:
        model(**batches[number % len(batches)]).backward()

    return step


def block(step: Callable[[int], Any], steps: int) -> float:
    """Microseconds of CPU time a step."""
    begin = time.process_time()
    for number in range(steps):
        step(number)
    return (time.process_time() - begin) / steps * 1e6


class Watch:
    """CPU time within the recorder."""

    def __init__(self) -> None:
        self.nanoseconds = 0
        self.calls = 0

    def microseconds(self) -> float:
        """Mean of a call."""
        return self.nanoseconds / 1000 / max(1, self.calls)

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        original = Recorder.note

        def note(recorder: Recorder, *call: Any) -> None:
            begin = time.thread_time_ns()
            original(recorder, *call)
            self.nanoseconds += time.thread_time_ns() - begin
            self.calls += 1

        Recorder.note = note  # type: ignore[method-assign]
        try:
            yield
        finally:
            Recorder.note = original  # type: ignore[method-assign]


def measure(name: str, step: Callable[[int], Any], seconds: float) -> dict[str, Any]:
    """Prints a row, and gives its figures."""
    for number in range(80):
        step(number)
    one = block(step, 20)
    steps = max(64, int(seconds * 1e6 / one / BLOCKS))
    without: list[float] = []
    with_it: list[float] = []
    watch, watch_run = Watch(), Watch()
    for number in range(BLOCKS):
        if number % 2 == 0:
            without.append(block(step, steps))
            continue
        with tempfile.TemporaryDirectory() as folder, shapewise.record(folder):
            block(step, 64)  # all that comes has come
            with_it.append(block(step, steps))
            with watch.running():
                block(step, steps)
        with tempfile.TemporaryDirectory() as folder:
            start_recording(Path(folder), Limits(), with_samples=True)
            block(step, 64)
            with watch_run.running():
                block(step, steps)
            stop_recording()
    before, after = statistics.median(without), statistics.median(with_it)
    more = after - before
    within, within_run = watch.microseconds(), watch_run.microseconds()
    print(
        f"{name:18} {before:9.1f} us without {after:9.1f} us with {more:+8.1f} us {more / before:+8.2%}"
        f"   within {within:5.1f} us {within / before:7.2%}   of run {within_run:5.1f} us {within_run / before:7.2%}",
        flush=True,
    )
    return {
        "step": name,
        "us_without": round(before, 1),
        "us_with": round(after, 1),
        "us_within": round(within, 1),
        "share_within": round(within / before, 5),
        "us_within_run": round(within_run, 1),
        "share_within_run": round(within_run / before, 5),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10, help="for each row")
    parser.add_argument("--output", type=Path, help="where the figures are put as JSON")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    rows = [
        measure("small call", small_call(), arguments.seconds),
        measure("call with objects", call_with_objects(), arguments.seconds),
        measure("tagger", tagger(), arguments.seconds),
        measure("small encoder", encoder(64, 2, 32), arguments.seconds),
        measure("encoder", encoder(128, 4, 64), arguments.seconds),
    ]
    if arguments.output is not None:
        figures = {
            "schema": SCHEMA,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "torch": torch.__version__,
            "rows": rows,
        }
        arguments.output.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
