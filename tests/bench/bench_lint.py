#!/usr/bin/env python3
"""Speed and memory of `shapewise lint` on large logs, beside grep and wc in the same run.

    tests/bench/bench_lint.py PROGRAM [--megabytes 500] [--runs 3] [--folder corpora/generated]

The logs are made from the captured ones and are not stored: `training` has one record line of torch
in about 200 lines, `torch` has nothing else. Both are made anew unless they lie in the folder with the
size asked for. An answer counts only if all lines were read and the pipe gives the same as the file.
The table gives medians, and the ratio to each reference; no figure is tested, because machines differ.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from pathlib import Path

from measured_run import Run, median_of, timed

ROOT = Path(__file__).resolve().parents[2]
CAPTURED = ROOT / "corpora" / "captured" / "2.13.0"
PATTERN = "recompil|graph break|limit"

# What the log of a training loop consists of, apart from torch's lines.
NOISE = (
    "step {n} loss=2.{n:04d} grad_norm=0.{n:04d} lr=1.00e-04 tokens/s=48,{n:03d} mfu=41.{n:02d}%",
    "INFO:trainer:epoch 3 batch {n} of 18000, data {n:03d} ms, forward 41 ms, backward 83 ms",
    "2026-11-03 10:{n:02d}:11,532 - data.loader - INFO - shard {n} opened, 2048 samples, 31.4 MiB",
    " 12%|####3         | {n}/18000 [00:41<1:12:08, 4.11it/s, loss=2.{n:04d}, lr=0.0001]",
    "[2026-11-03 10:11:{n:02d}] evaluation: perplexity 13.{n:04d}, accuracy 0.{n:04d}, best 0.8123",
)


def on_one_core(command: list[str], runs: int, stdin: Path | None = None) -> Run:
    """The run with the median time by the wall clock."""
    return median_of(["taskset", "-c", "0", *command], runs, lambda run: run.seconds, stdin)


def torch_records() -> list[str]:
    """The captured logs that carry records, as texts that end with a newline."""
    texts = []
    for path in sorted(CAPTURED.glob("*/log.txt")):
        text = path.read_text(encoding="utf-8")
        if "[__" in text:
            texts.append(text if text.endswith("\n") else text + "\n")
    return texts


def prefixed_lines(texts: list[str]) -> list[str]:
    """Only the lines that torch wrote, so that one stands for itself among others."""
    return [line + "\n" for text in texts for line in text.splitlines() if "torch/" in line[:120]]


def make_log(path: Path, megabytes: int, kind: str) -> None:
    """Writes about `megabytes` MB of `kind` to `path`."""
    texts = torch_records()
    size = megabytes * 1_000_000
    with path.open("w", encoding="utf-8") as out:
        written = 0
        if kind == "torch":
            while written < size:
                for text in texts:
                    written += out.write(text)
        else:
            lines = prefixed_lines(texts)
            n = 0
            while written < size:
                for line in lines:
                    noise = "\n".join(NOISE[i % len(NOISE)].format(n=(n + i) % 997) for i in range(199))
                    written += out.write(noise) + out.write("\n") + out.write(line)
                    n += 1
                    if written >= size:
                        break


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=ROOT / "corpora" / "generated")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    program = str(args.program.resolve())

    start_up = statistics.median(timed(["taskset", "-c", "0", program, "--version"]).seconds for _ in range(15))
    print(f"start-up: {start_up * 1000:.1f} ms (median of 15, process creation included)\n")
    print(f"{'log':10} {'command':34} {'seconds':>8} {'GB/s':>6} {'MiB':>6}  ratio to grep, to wc")
    for kind in ("training", "torch"):
        path = args.folder / f"{kind}-{args.megabytes}.log"
        if not path.is_file() or path.stat().st_size < args.megabytes * 1_000_000:
            make_log(path, args.megabytes, kind)
        size = path.stat().st_size
        grep = on_one_core(["grep", "-cE", PATTERN, str(path)], args.runs)
        count = on_one_core(["wc", "-l", str(path)], args.runs)
        lint = [program, "lint", "--exit-zero", "--format", "json"]
        mapped = on_one_core([*lint, str(path)], args.runs)
        piped = on_one_core([*lint, "-"], args.runs, stdin=path)
        summaries = [json.loads(run.output)["summary"] for run in (mapped, piped)]
        for summary in summaries:
            del summary["torch"]  # quotes the input's name
        if summaries[0] != summaries[1]:
            print("the answer from the pipe is another than from the file", file=sys.stderr)
            return 1
        lines = int(count.output.split()[0])
        if summaries[0]["lines"] != lines:
            print(f"{summaries[0]['lines']} lines were read of {lines}", file=sys.stderr)
            return 1
        for name, run in (
            ("shapewise lint FILE", mapped),
            ("cat FILE | shapewise lint -", piped),
            (f"grep -cE '{PATTERN}'", grep),
            ("wc -l", count),
        ):
            print(
                f"{kind:10} {name:34} {run.seconds:8.2f} {size / run.seconds / 1e9:6.2f} {run.anon_mib:6.1f}"
                f"  {run.seconds / grep.seconds:.2f}, {run.seconds / count.seconds:.2f}"
            )
    print("\nMiB: peak of resident memory beyond mapped files, sampled every 5 ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
