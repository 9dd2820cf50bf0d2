#!/usr/bin/env python3
"""Everything that is measured on a GPU, part by part, into one JSON of figures. tests/gpu/run.sh runs it.

A part that fails, or takes longer than it may, is recorded, and the rest goes on. What a part prints goes to a log beside
the figures. Exit status: 0 every part held, 1 one did not, 77 torch is not there.
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

SKIPPED = 77
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STUDY = ROOT / "tests" / "bench" / "captioning" / "study.py"

# A graph of this model takes 20 s to compile on an H200, and 40 s while four others compile.
STUDY_OPTIONS = ["--scale", "shallow", "--device", "cuda", "--trace-backend", "eager", "--cost-sizes", "64", "256"]
STUDY_OPTIONS += ["--steps", "16", "--repetitions", "1", "--compile-jobs", "6"]
# Most seconds of each part; the study has what is left of --seconds.
SECONDS = {"build": 170, "check": 90, "models": 130, "curves": 110, "overhead": 40, "cudagraphs": 90, "harness": 150, "tune": 170, "gallery": 240}
SIZES = {
    "cpu": {"check": [5, 33], "curves": [8, 16, 32]},
    "cuda": {"check": [9, 200], "curves": [64, 128, 256, 512, 1024, 2048, 4096]},
}
SCALED = ("cudagraphs", "harness", "tune")  # what they measure reads from the environment how large it is
MODELS_ON_CPU = ["mlp", "losses"]  # torch.replay_native runs all there
TUNED_MODELS = ["gpt2", "gallery/roberta", "gallery/torch_encoder"]  # of tests/torch/tune_models.py

Figures = dict[str, Any]


class PartError(Exception):
    """Why a part did not hold."""


@dataclass
class Bench:
    """What all parts are given."""

    options: argparse.Namespace
    scratch: Path
    log: Path
    replay: str
    last: float  # of time.monotonic()
    commands: dict[str, list[str]] = field(default_factory=dict)

    @property
    def device(self) -> str:
        """ "cpu" or "cuda"."""
        name: str = self.options.device
        return name

    @property
    def scale(self) -> str:
        """How large models are."""
        return "small" if self.device == "cpu" else "full"

    def run(self, part: str, command: list[str], accepted: tuple[int, ...] = (0,)) -> str:
        """The standard output of a command of `part`, in its own process group and in time."""
        variables = {"SHAPEWISE_GPU_SCALE": self.scale} if part in SCALED else {}
        self.commands.setdefault(part, []).append(command_text(command, variables))
        seconds = min(SECONDS.get(part, float("inf")), self.last - time.monotonic())
        if seconds <= 0:
            raise PartError("no time was left")
        paths = [str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **variables}
        # The native replay has to load the torch of this interpreter, not that of another python3.
        environment["SHAPEWISE_TORCH_ROOT"] = torch_root()
        output = self.scratch / "stdout.txt"
        with output.open("wb") as out, self.log.open("ab") as log:
            log.write(f"\n== {part}: {command_text(command, variables)}\n".encode())
            log.flush()
            process = subprocess.Popen(
                command, stdout=out, stderr=log, stdin=subprocess.DEVNULL, cwd=ROOT, env=environment, start_new_session=True
            )
            try:
                status: int | None = process.wait(seconds)
            except subprocess.TimeoutExpired:
                status = None
            finally:
                end_group(process)
            log.write(output.read_bytes())
        if status is None:
            raise PartError(f"took longer than {seconds:.0f} s")
        text = output.read_text(encoding="utf-8", errors="replace")
        if status not in accepted:
            raise PartError(f"exit status {status}: {last_line(self.log)}")
        return text


def torch_root() -> str:
    """The folder of the torch that runs this."""
    import torch

    return str(Path(torch.__file__).parent)


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Ends a process and all that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def command_text(command: list[str], variables: dict[str, str]) -> str:
    """A command as somebody else would write it: relative to the repository."""
    words = [f"{name}={value}" for name, value in variables.items()]
    for word in command:
        name, equals, value = word.rpartition("=")
        path = Path(value)
        if value == sys.executable:
            value = "python3"
        elif path.is_absolute():
            value = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
        words.append(name + equals + value)
    return " ".join(words)


def last_line(path: Path) -> str:
    """What was said last."""
    lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return lines[-1].strip()[:300] if lines else ""


def build(bench: Bench) -> Figures:
    """The native replay, against the torch that runs this, with nothing else installed."""
    if bench.options.replay:
        return {"skipped": "a program was given"}
    folder = ROOT / "build" / "replay-gpu"
    headers = bench.options.prepared / "headers"
    configure = ["cmake", "-S", "analyzer/replay", "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release"]
    configure += [f"-DSHAPEWISE_TORCH_ROOT={torch_root()}"]
    if headers.is_dir():
        configure += [f"-DSHAPEWISE_{name}_INCLUDE={headers}" for name in ("NLOHMANN", "CLI11")]
    if shutil.which("ninja"):
        configure += ["-G", "Ninja"]
    begin = time.monotonic()
    bench.run("build", configure)
    bench.run("build", ["cmake", "--build", str(folder), "--parallel", str(os.cpu_count() or 2)])
    bench.replay = str(folder / "shapewise-replay")
    return {"seconds": round(time.monotonic() - begin, 1), "version": bench.run("build", [bench.replay, "--version"]).strip()}


def dumps_folder(bench: Bench) -> Path:
    """Dumps and their programs: those that were prepared, else made now."""
    prepared: Path = bench.options.prepared / "dumps" / bench.scale
    if prepared.is_dir():
        return prepared
    made = bench.scratch / "dumps"
    if not made.is_dir():
        command = [sys.executable, str(HERE / "dumps.py"), bench.options.shapewise, str(made), "--scale", bench.scale]
        bench.run("check", command)
    return made


def beside_python(bench: Bench, what: str) -> Figures:
    """One of the two things that beside_python.py does."""
    sizes = list(map(str, SIZES[bench.device][what]))
    command = [sys.executable, str(HERE / "beside_python.py"), what, bench.replay, str(dumps_folder(bench))]
    told: Figures = json.loads(bench.run(what, [*command, bench.device, *sizes], accepted=(0, 1)))
    return told


def check(bench: Bench) -> Figures:
    """Results of the native replay on this device against Python's."""
    return beside_python(bench, "check")


def curves(bench: Bench) -> Figures:
    """What graphs cost at several sizes."""
    return beside_python(bench, "curves")


def models(bench: Bench) -> Figures:
    """The models of the test torch.replay_native, captured and run on this device."""
    figures = bench.scratch / "models.json"
    command = [sys.executable, str(ROOT / "tests" / "torch" / "check_replay_native.py"), bench.options.shapewise, bench.replay]
    command += [*(MODELS_ON_CPU if bench.device == "cpu" else ()), "--device", bench.device, "--json", str(figures)]
    bench.run("models", command, accepted=(0, 1, SKIPPED))
    if not figures.exists():
        return {"skipped": last_line(bench.log)}
    told: Figures = json.loads(figures.read_text(encoding="utf-8"))
    return told


def overhead(bench: Bench) -> Figures:
    """What the interpreter adds to an operator; on a CPU, whatever else is there."""
    command = [sys.executable, str(ROOT / "tests" / "bench" / "bench_replay.py"), bench.replay, "--json"]
    told: Figures = json.loads(bench.run("overhead", command))
    return told


def job(bench: Bench, name: str, policies: dict[str, Any]) -> Path:
    """Writes a job of the harness over subject.py."""
    calls = bench.scratch / "calls.jsonl"
    place = "cuda:0" if bench.device == "cuda" else "cpu"
    bench.run(name, [sys.executable, str(HERE / "subject.py"), str(calls), place])
    told = {
        "schema": "shapewise.replay-job/1",
        "subject": {"kind": "callable", "spec": f"{HERE / 'subject.py'}:build", "factory": True},
        "calls": str(calls),
        "policies": [{"name": policy, "policy": members} for policy, members in policies.items()],
        **{"device": bench.device, "repetitions": 1, "passes": 2},
    }
    path = bench.scratch / f"{name}.job.json"
    path.write_text(json.dumps(told), encoding="utf-8")
    return path


def harness(bench: Bench) -> Figures:
    """Policies of torch.compile over recorded calls: what they compile, cost, hold and compute."""
    buckets = [{"arg": "x", "dim": 1, "sizes": [64, 128, 192], "mark_static": True}]
    policies: dict[str, Any] = {
        "eager": {"eager": True},
        "as-is": {},
        "mark_dynamic": {"marks": [{"arg": "x", "dim": 1, "kind": "dynamic"}]},
        "buckets": {"buckets": buckets},
        "buckets, CUDA graphs": {"buckets": buckets, "mode": "reduce-overhead"},
    }
    if bench.device == "cpu":
        # Without Inductor, whose figures on a CPU other tests look at.
        fast = ("as-is", "mark_dynamic")
        policies = {name: {**policies[name], "backend": "aot_eager"} for name in fast} | {"eager": policies["eager"]}
    answer = bench.scratch / "harness.json"
    command = [sys.executable, "-m", "shapewise.replay", str(job(bench, "harness", policies)), "-o", str(answer)]
    bench.run("harness", command)
    told = json.loads(answer.read_text(encoding="utf-8"))
    wanted = ("name", "steps_per_second", "compiles", "compile_seconds", "wall_seconds", "peak_bytes", "equal", "error")
    rows = [{member: row[member] for member in (*wanted, "equal_why", "max_abs_error")} for row in told["policies"]]
    held = all(row["equal"] is True and row["error"] is None and row["peak_bytes"] for row in rows)
    return {"held": held, "device": told["device"], "policies": rows}


def cudagraphs(bench: Bench) -> Figures:
    """What recording a CUDA graph of each size costs and saves."""
    answer = bench.scratch / "cudagraphs.json"
    policy = {"marks": [{"arg": "x", "dim": 1, "kind": "dynamic"}]}
    path = job(bench, "cudagraphs", {"mark_dynamic": policy})
    command = [sys.executable, "-m", "shapewise.replay", "--cudagraphs", str(path), "-o", str(answer)]
    if bench.device == "cpu":
        bench.run("cudagraphs", command, accepted=(2,))
        return {"held": "need a CUDA device" in last_line(bench.log), "said": last_line(bench.log)}
    bench.run("cudagraphs", command)
    told: Figures = json.loads(answer.read_text(encoding="utf-8"))
    # Six layers of small kernels: a graph must save something, and give what was asked of it.
    rows = told["sizes"]
    told["held"] = all(row["error"] is None for row in rows) and any(
        row["replay_seconds"] < row["launch_seconds"] for row in rows
    )
    return told


def tuned(bench: Bench, part: str, name: str, options: list[str], program: list[str]) -> Figures:
    """What `shapewise tune` finds for a program."""
    command = [bench.options.shapewise, "tune", "--quiet", "--format", "json", "--exit-zero"]
    command += ["--folder", str(bench.scratch / "tuned" / name), "--seconds", "30", "--candidates", "2", *options]
    report = json.loads(bench.run(part, [*command, "--", sys.executable, *program]))
    wanted = ("compiles", "limit_hits", "eager_calls", "compile_seconds", "steps_per_second", "peak_bytes", "equal")
    runs = {"as-is": report["baseline"]} | {action["policy"]: action["run"] for action in report["actions"]}
    rows = [{"policy": name, **{key: run[key] for key in wanted}} for name, run in runs.items() if run is not None]
    verdicts = {action["policy"]: action["verdict"] for action in report["actions"]}
    best = None if report["best"] is None else report["actions"][report["best"]]["policy"]
    confirmed = report["confirmed"] and report["confirmed"]["verdict"]
    figures = {"device": report["device"], "best": best, "confirmed": confirmed, "verdicts": verdicts, "runs": rows}
    return {"held": best is not None and confirmed in (None, "better"), **figures}


def tune(bench: Bench) -> Figures:
    """A training program; on a GPU confirmed with the program's own backend."""
    options = ["--confirm"] if bench.device == "cuda" else []
    return tuned(bench, "tune", "trained", options, [str(HERE / "tuned.py"), bench.device])


def gallery(bench: Bench) -> Figures:
    """Models of libraries, on a GPU with the backend that compiles."""
    if importlib.util.find_spec("transformers") is None:
        return {"skipped": "transformers is not there"}
    on_gpu = bench.device == "cuda"
    options = ["--backend", "keep"] if on_gpu else []
    program = str(ROOT / "tests" / "torch" / "tune_models.py")
    how = [bench.device, "inductor" if on_gpu else "eager"]
    rows = {}
    for name in TUNED_MODELS if on_gpu else TUNED_MODELS[-1:]:
        rows[name] = tuned(bench, "gallery", name, options, [program, name, *how])
    return {"held": all(row["held"] for row in rows.values()), "programs": rows}


def study(bench: Bench) -> Figures:
    """The case study as deep as ten minutes allow; arguments after --study come later and win."""
    if bench.device == "cpu":
        return {"skipped": "it has a test of its own"}
    if not STUDY.exists():
        return {"skipped": "it is not there"}
    answer = bench.log.with_name("study.json")
    answer.unlink(missing_ok=True)
    command = [sys.executable, str(STUDY), "--shapewise", bench.options.shapewise, *STUDY_OPTIONS]
    command += ["--seconds", str(max(60, round(bench.last - time.monotonic() - 20)))]
    bench.run("study", [*command, "--output", str(answer), *bench.options.study])
    told: Figures = json.loads(answer.read_text(encoding="utf-8"))
    told.pop("script", None)
    return told


PARTS: dict[str, Callable[[Bench], Figures]] = {
    "build": build,
    "check": check,
    "curves": curves,
    "overhead": overhead,
    "cudagraphs": cudagraphs,
    "harness": harness,
    "tune": tune,
    "gallery": gallery,
    "models": models,
    "study": study,
}


def run_part(name: str, bench: Bench) -> Figures:
    """One part and what became of it."""
    print(f"{name} ...", end=" ", flush=True)
    begin = time.monotonic()
    row: Figures = {"status": "held", "why": None}
    try:
        row["figures"] = PARTS[name](bench)
        if "skipped" in row["figures"]:
            row.update(status="skipped", why=row["figures"].pop("skipped"))
        elif row["figures"].get("held") is False:
            row.update(status="failed", why="its figures tell what did not hold")
    except Exception as error:  # whatever it is, the other parts go on
        row.update(status="failed", why=f"{type(error).__name__}: {error}".removeprefix("PartError: "))
    row["seconds"] = round(time.monotonic() - begin, 1)
    row["commands"] = bench.commands.get(name, [])
    print(f"{row['status']} in {row['seconds']} s{': ' + row['why'] if row['why'] else ''}", flush=True)
    return row


def device_name(device: str) -> str:
    """The device in words."""
    import torch

    if device == "cuda":
        return torch.cuda.get_device_name()
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return f"cpu ({line.partition(':')[2].strip()}, {torch.get_num_threads()} threads)"
    return f"cpu ({torch.get_num_threads()} threads)"


def parsed() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", dest="device", action="store_const", const="cpu", default="cuda", help="all on a CPU, tiny")
    parser.add_argument("--prepared", type=Path, default=ROOT / "build" / "gpu", help="what prepare.sh filled")
    parser.add_argument("--shapewise", help="the program; default: the prepared one")
    parser.add_argument("--replay", help="the native replay; default: it is built")
    parser.add_argument("--output", type=Path, help="where figures go; default: measured.json in what was prepared")
    parser.add_argument("--parts", default=",".join(PARTS), help="only these, separated by commas")
    parser.add_argument("--seconds", type=float, default=520, help="of all parts together")
    parser.add_argument("--study", nargs=argparse.REMAINDER, default=[], help="the rest goes to the case study")
    return parser.parse_args()


def main() -> int:
    """Runs the parts and writes their figures."""
    begin = time.monotonic()
    options = parsed()
    try:
        import torch
    except ImportError as error:
        print(f"skipped: {error}")
        return SKIPPED
    if options.device == "cuda" and not torch.cuda.is_available():
        print(f"torch {torch.__version__} sees no CUDA device; --cpu measures without one")
        return 1
    options.prepared = options.prepared.resolve()
    options.shapewise = options.shapewise or str(options.prepared / "bin" / "shapewise")
    output = (options.output or options.prepared / "measured.json").resolve()
    output.parent.mkdir(parents=True, exist_ok=True)
    told: Figures = {
        "schema": "shapewise.measured/1",
        "device": device_name(options.device),
        "torch": torch.__version__,
        "python": platform.python_version(),
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "command": "tests/gpu/run.sh" + (" --cpu" if options.device == "cpu" else ""),
        "parts": {},
    }
    log = output.with_suffix(".log")
    log.write_bytes(b"")
    with tempfile.TemporaryDirectory(prefix="shapewise-gpu-") as folder:
        # By the clock of this script, so that importing torch counts as well.
        bench = Bench(options, Path(folder), log, options.replay or "", begin + options.seconds)
        if not options.replay:
            bench.replay = str(ROOT / "build" / "replay-gpu" / "shapewise-replay")
        for name in options.parts.split(","):
            told["parts"][name] = run_part(name, bench)
            # After each part: what was measured stays, whatever ends this.
            output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    failed = [name for name, part in told["parts"].items() if part["status"] == "failed"]
    print(f"{time.monotonic() - begin:.0f} s; {'did not hold: ' + ', '.join(failed) if failed else 'all held'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
