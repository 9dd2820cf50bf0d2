#!/usr/bin/env python3
"""How much longer a run takes with what `shapewise buckets` picks than with the best of the usual policies.

    tests/bench/regret.py SHAPEWISE [--streams NAME,..] [--policies NAME,..] [--backend NAME] [--device cuda] [--repetitions N] [--output FILE.json]

For each stream of sizes: calls of a small model are recorded; `shapewise replay --dim` times what sizes cost;
`shapewise buckets --cost --steps HORIZON` picks a way to run it; the harness of replay then runs every policy over the
recorded calls, from cold, in processes of their own that take turns, and tells what HORIZON steps take, compiling included.
The pick may take at most 2 % longer than the best one measured, or as long within what repetitions tell apart.
Exit status: 0 it does in all streams, 1 it does not in one, 77 torch is not there.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plan_words import for_each, padded, words_of_plan

SKIPPED = 77
ALLOWED_REGRET = 0.02
CALLS = 48
BATCHES = {"cpu": 4, "cuda": 512}  # so many that a GPU has something to do
MODEL = Path(__file__).resolve().parent / "regret_model.py"
PACKAGE = Path(__file__).resolve().parents[2] / "python"
PICK = "the pick"


@dataclass(frozen=True)
class Stream:
    """Sizes of calls, and how long the run is of which they are a sample."""

    name: str
    sizes: list[int]
    horizon: int
    trains: bool = False  # forward and backward, two inputs that are padded together

    @property
    def dims(self) -> dict[str, float]:
        """What has the size, and what padding of it holds."""
        return {"tokens": 0, "weights": 0} if self.trains else {"tokens": 0}

    @property
    def subject(self) -> str:
        """What is called."""
        return f"{MODEL}:{'training' if self.trains else 'forward'}"


def streams() -> list[Stream]:
    """Small ones, each of another kind."""
    draw = random.Random(7)
    captions = [max(round(draw.gauss(14, 4)) for _ in range(16)) for _ in range(CALLS)]
    prompts = [min(512, max(8, round(draw.lognormvariate(4.2, 0.8)))) for _ in range(CALLS)]
    modes = [round(draw.gauss(*((24, 2) if draw.random() < 0.7 else (224, 10)))) for _ in range(CALLS)]
    return [
        Stream("captions", captions, 500, trains=True),
        Stream("captions for long", captions, 100_000, trains=True),
        Stream("chat prompts", prompts, 20_000),
        Stream("two modes", modes, 200_000),
        Stream("growing cache", [65 + 3 * i for i in range(CALLS)], 1_000),
        Stream("few sizes", [draw.choice((48, 96, 200)) for _ in range(CALLS)], 100_000),
    ]


def call_records(stream: Stream, device: str) -> str:
    """The calls as a recorder writes them."""
    place = "cuda:0" if device == "cuda" else device
    lines = []
    for size in stream.sizes:
        inputs = {}
        for dim in stream.dims:
            dtype = "torch.int64" if dim == "tokens" else "torch.float32"
            inputs[dim] = {"size": [BATCHES[device], size], "stride": [size, 1], "dtype": dtype, "device": place}
        grad = {} if stream.trains else {"grad": "off"}
        lines.append(json.dumps({"function": "forward", "file": "model.py", "line": 1, **grad, "inputs": inputs}))
    return "\n".join(lines) + "\n"


def usual_policies(stream: Stream) -> dict[str, str]:
    """What people do without a plan, by name."""
    largest = max(stream.sizes)
    powers = [1 << k for k in range(3, (largest - 1).bit_length() + 1)]
    used = sorted({next(p for p in powers if p >= size) for size in stream.sizes})
    found = {
        "automatic dynamic": "as-is",
        "dynamic=False": "dynamic=False",
        "mark_dynamic": for_each(stream.dims, "mark_dynamic"),
        "powers of two": padded(stream.dims, used, "mark_static"),
        "fixed length": padded(stream.dims, [largest], "mark_static"),
    }
    for step in (32, 64):
        multiples = list(range(step, largest + step, step))
        found[f"multiples of {step}"] = padded(stream.dims, multiples, "mark_dynamic")
    return found


class Study:
    """Runs streams with one program and one backend."""

    def __init__(self, program: str, options: argparse.Namespace) -> None:
        self._program = str(Path(program).resolve())
        self._options = options
        self.place: dict[str, str] = {}  # device and release of torch, once something was measured

    def run(self, stream: Stream) -> dict[str, Any]:
        """The figures of one stream."""
        with tempfile.TemporaryDirectory(prefix="regret-") as name:
            folder = Path(name)
            (folder / "calls.jsonl").write_text(call_records(stream, self._options.device))
            curve = self._measure_costs(stream, folder)
            plan = self._plan(stream, folder)
            costs = (folder / "cost.csv").read_text()
            usual = usual_policies(stream)
            wanted = self._options.policies.split(",") if self._options.policies else list(usual)
            policies = {name: usual[name] for name in wanted}
            pick = words_of_plan(plan, stream.dims)
            names = [known for known, words in policies.items() if words == pick]
            if not names:
                policies[PICK] = pick
            rows = self._measure_policies(stream, folder, policies)
        return report_of(stream, rows, names[0] if names else PICK, pick, plan, curve, costs)

    def _call(self, *arguments: str, folder: Path) -> str:
        done = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(arguments[:3])} ... ends with {done.returncode}\n{done.stderr}")
        return done.stdout

    def _measure_costs(self, stream: Stream, folder: Path) -> dict[str, Any]:
        options = self._options
        command = [self._program, "replay", "--callable", stream.subject, "--calls", "calls.jsonl"]
        for dim in stream.dims:
            command += ["--dim", f"{dim}:1"]
        command += ["--cost-file", "cost.csv", "--buckets", "4", "--measurements", str(options.measurements)]
        command += ["--steps", str(stream.horizon), "--backend", options.backend, "--threads", str(options.threads)]
        command += ["--device", options.device, "--python", sys.executable, "--package", str(PACKAGE), "--format", "json"]
        curve: dict[str, Any] = json.loads(
            self._call(*command, *(["--backward"] if stream.trains else []), folder=folder)
        )
        return curve

    def _plan(self, stream: Stream, folder: Path) -> dict[str, Any]:
        command = [self._program, "buckets", "calls.jsonl", "--source", "tokens:1", "--cost", "cost.csv"]
        command += ["--steps", str(stream.horizon), "--format", "json", "--exit-zero"]
        plan: dict[str, Any] = json.loads(self._call(*command, folder=folder))
        return plan

    def _measure_policies(self, stream: Stream, folder: Path, policies: dict[str, str]) -> list[dict[str, Any]]:
        job = {
            "schema": "shapewise.replay-job/1",
            "subject": {"kind": "callable", "spec": stream.subject},
            "calls": "calls.jsonl",
            "policies": [{"name": name, "policy": self._words(words)} for name, words in policies.items()],
            "device": self._options.device,
            "compile_jobs": self._options.compile_jobs,
            "backward": stream.trains,
            "horizon": stream.horizon,
            "repetitions": self._options.repetitions,
            "cold_repetitions": self._options.cold_repetitions,
            "threads": self._options.threads,
            "compared_calls": 2,
        }
        (folder / "job.json").write_text(json.dumps(job))
        paths = [str(PACKAGE), os.environ.get("PYTHONPATH", "")]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(filter(None, paths)))
        command = [sys.executable, "-m", "shapewise.replay", "job.json", "-o", "answer.json"]
        subprocess.run(command, cwd=folder, env=environment, check=True, stderr=subprocess.DEVNULL)
        answer: dict[str, Any] = json.loads((folder / "answer.json").read_text())
        self.place = {name: answer[name] for name in ("device", "torch")}
        rows: list[dict[str, Any]] = answer["policies"]
        return rows

    def _words(self, words: str) -> str:
        backend = self._options.backend
        if backend == "inductor":
            return words
        return f"backend={backend}" if words == "as-is" else f"{words} + backend={backend}"


def horizon_interval(stream: Stream, row: dict[str, Any]) -> list[float]:
    """What HORIZON steps take at least and at most, by the repetitions."""
    left = max(0, stream.horizon - CALLS)
    rates = [rate for series in row["samples"] for rate in series]
    low, high = row["wall_seconds_interval"]
    return [low + left / max(rates), high + left / min(rates)]


def report_of(
    stream: Stream,
    rows: list[dict[str, Any]],
    pick: str,
    words: str,
    plan: dict[str, Any],
    curve: dict[str, Any],
    costs: str,
) -> dict[str, Any]:
    """All that is told of a stream."""
    measured = []
    for row in rows:
        if row["error"] is not None:
            measured.append({"policy": row["name"], "error": row["error"]})
            continue
        measured.append(
            {
                "policy": row["name"],
                "seconds": row["horizon_seconds"],
                "interval": horizon_interval(stream, row),
                "compiles": row["compiles"],
                "wall_seconds": row["wall_seconds"],
                "steps_per_second": row["steps_per_second"],
                "equal": row["equal"],
                "limit_hit": row["recompile_limit_hit"],
            }
        )
    timed = [row for row in measured if "seconds" in row]
    best = min(timed, key=lambda row: row["seconds"])
    own = next((row for row in timed if row["policy"] == pick), None)
    regret = own["seconds"] / best["seconds"] - 1 if own else None
    overlaps = own is not None and own["interval"][0] <= best["interval"][1]
    return {
        "stream": stream.name,
        "horizon": stream.horizon,
        "pick": pick,
        "pick_policy": words,
        "mode": plan["recommend"]["mode"],
        "why": plan["recommend"]["why"],
        "best": best["policy"],
        "regret": regret,
        "within_noise": overlaps,
        "holds": regret is not None and (regret <= ALLOWED_REGRET or overlaps),
        "policies": measured,
        "predicted": plan["modes"],
        "costs": costs,
        "timed_sizes": [point["size"] for point in curve["points"]],
    }


def print_report(report: dict[str, Any]) -> None:
    """One stream as a table."""
    print(f"\n{report['stream']}: {report['horizon']} steps; sizes timed: {report['timed_sizes']}")
    print(f"  advised: {report['why']}")
    print(f"  {'policy':27} {'seconds':>9}  {'interval':>19}  {'first pass':>10}  {'steps/s':>8}  graphs")
    for row in sorted(report["policies"], key=lambda row: row.get("seconds", float("inf"))):
        if "error" in row:
            print(f"  {row['policy']:27} {row['error']}")
            continue
        low, high = row["interval"]
        mark = "  <- pick" if row["policy"] == report["pick"] else ""
        print(
            f"  {row['policy']:27} {row['seconds']:9.2f}  {low:8.2f} - {high:8.2f}  {row['wall_seconds']:10.2f}"
            f"  {row['steps_per_second']:8.1f}  {row['compiles']:6}{mark}"
        )
    print(f"  pick: {report['pick_policy']} ({report['mode']})")
    verdict = "holds" if report["holds"] else "DOES NOT HOLD"
    is_distinguishable = report["pick"] == report["best"] or not report["within_noise"]
    noise = "" if is_distinguishable else ", intervals overlap"
    regret = "not measured" if report["regret"] is None else f"{100 * report['regret']:.1f} %"
    print(f"  {verdict}: {regret} over {report['best']}{noise}", flush=True)


def figures_of(study: Study, reports: list[dict[str, Any]], options: argparse.Namespace) -> dict[str, Any]:
    """What is worth keeping: no path of this machine."""
    how = f"--backend {options.backend} --repetitions {options.repetitions} --cold-repetitions {options.cold_repetitions}"
    how += f" --device {options.device}" if options.device != "cpu" else ""
    how += f" --compile-jobs {options.compile_jobs}" if options.compile_jobs > 1 else ""
    return {
        "schema": "shapewise.regret/1",
        "command": f"tests/bench/regret.py {how}",
        "date": datetime.date.today().isoformat(),
        **study.place,
        "streams": reports,
    }


def run_streams(program: str, chosen: list[Stream], options: argparse.Namespace) -> int:
    """Runs all, prints them, and says whether the claim holds."""
    study = Study(program, options)
    reports = []
    for stream in chosen:
        reports.append(study.run(stream))
        print_report(reports[-1])
        if options.output:
            options.output.write_text(json.dumps(figures_of(study, reports, options), indent=1) + "\n")
    print(f"\n{'stream':22} {'horizon':>8}  {'pick':27} {'best':27} {'regret':>7}")
    for report in reports:
        regret = "-" if report["regret"] is None else f"{100 * report['regret']:.1f} %"
        print(f"{report['stream']:22} {report['horizon']:8}  {report['pick']:27} {report['best']:27} {regret:>7}")
    failed = sum(not report["holds"] for report in reports)
    if failed:
        print(f"the pick takes more than {ALLOWED_REGRET:.0%} longer in {failed} of {len(reports)} streams")
    return 1 if failed else 0


def make_parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="SHAPEWISE")
    parser.add_argument("--streams", metavar="NAME,NAME", help="default: all")
    parser.add_argument("--policies", metavar="NAME,NAME", help="beside the pick; default: all")
    parser.add_argument("--backend", default="inductor")
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--cold-repetitions", type=int, default=1, help="the others reuse what these compiled")
    parser.add_argument("--compile-jobs", type=int, default=1, help="compile so many policies at once, before steps are timed")
    parser.add_argument("--device", choices=sorted(BATCHES), default="cpu")
    parser.add_argument("--measurements", type=int, default=6)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--output", type=Path, metavar="FILE.json")
    return parser


def main(arguments: list[str] | None = None) -> int:
    options = make_parser().parse_args(arguments)
    if importlib.util.find_spec("torch") is None:
        print("skipped: torch is not installed")
        return SKIPPED
    names = options.streams.split(",") if options.streams else None
    chosen = [stream for stream in streams() if names is None or stream.name in names]
    if not chosen:
        print(f"no such stream; there are {', '.join(stream.name for stream in streams())}")
        return 1
    return run_streams(options.program, chosen, options)


if __name__ == "__main__":
    sys.exit(main())
