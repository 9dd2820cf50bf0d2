#!/usr/bin/env python3
"""`shapewise run` on real programs: the verdict, what is untouched, records that predict exactly.

    tests/torch/check_run.py PROGRAM

Programs of corpora/captured run under it and by themselves. The verdict must name the culprit that the recorded
truth names, stdout, stderr and the exit status must be the same, and compiles predicted from the records must be those
that the truth counted. Then signals, killed jobs, other processes, and the user's own logging.
Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from expectations import environment, expect, problems
from sampling import sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
CORPORA = Path(__file__).resolve().parents[2] / "corpora"
PATIENCE_SECONDS = 600

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)


@dataclass(frozen=True)
class Case:
    """A captured program, and what its truth says that varied or broke."""

    capture: str
    culprits: tuple[tuple[str, int | None], ...] = ()  # source and dim of causes
    breaks: tuple[int, ...] = ()  # lines


CASES = (
    Case("222-limit-cache", (("k", 2),)),
    Case("201-batch-convnet", (("images", 0),)),
    Case("218-int-arg-steps", (("step", None),)),
    Case("203-breaks-mixed", breaks=(11, 13, 15, 19)),
    Case("209-float-arg-temperature", (("temperature", None), ("top_k", None))),
    Case("220-kv-cat-list", (("chunks", None),)),
    Case("227-seq-encoder", (("tokens", 1), ("tokens", 0))),
    Case("235-zero-one", (("rows", 0),)),
)

# Prefixes of log lines contain times and processes; everything else must be equal.
VARYING = re.compile(rb"^((?:\[rank\d\]:)?[VIWE])\d{4} [\d:.]+ \d+ ", re.MULTILINE)

def call(arguments: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        arguments, cwd=folder, env=environment(2, **more), capture_output=True, timeout=PATIENCE_SECONDS, check=False
    )


def same_output(plain: subprocess.CompletedProcess[bytes], run: subprocess.CompletedProcess[bytes], what: str) -> None:
    expect(plain.returncode == run.returncode, f"{what}: exit status {run.returncode}, by itself {plain.returncode}")
    for name in ("stdout", "stderr"):
        alone, under = (VARYING.sub(rb"\1", getattr(done, name)) for done in (plain, run))
        expect(alone == under, f"{what}: {name} differs: {under[-400:]!r}, by itself {alone[-400:]!r}")


def json_of(arguments: list[str], folder: Path) -> Any:
    done = call(arguments, folder)
    return json.loads(done.stdout)


def records_of(folder: Path) -> list[dict[str, Any]]:
    """Every line of every record; a line that is not whole raises."""
    lines: list[dict[str, Any]] = []
    for path in sorted(folder.glob("calls-*.jsonl")):
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n"), path
        lines += [json.loads(line) for line in text.splitlines()]
    return [line for line in lines if "inputs" in line]


def check_capture(tool: str, case: Case, scratch: Path) -> None:
    print(case.capture, flush=True)
    capture = CORPORA / "captured" / "2.13.0" / case.capture
    truth = json.loads((capture / "truth.json").read_text(encoding="utf-8"))
    folder = scratch / case.capture
    folder.mkdir()
    script = truth["script"]
    (folder / script).write_bytes((capture / "program.py").read_bytes())
    plain = call([sys.executable, script], folder)
    # The verdict goes to a file: stderr is then that of the program and one line of ours.
    options = ["--folder", "run", "--format", "json", "--output", "verdict.json"]
    run = call([tool, "run", *options, "--", sys.executable, script], folder)
    note = b"shapewise: logs, traces and recorded calls are in run\n"
    expect(run.stderr.endswith(note), f"{case.capture}: stderr ends with {run.stderr[-200:]!r}")
    run.stderr = run.stderr.removesuffix(note)
    same_output(plain, run, case.capture)

    verdict = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))
    causes = [finding["cause"] or {} for finding in verdict["findings"]]
    for source, dim in case.culprits:
        named = any(cause.get("source") == source and cause.get("dim") == dim for cause in causes)
        expect(named, f"{case.capture}: {source} (dim {dim}) is not among {causes}")
    lines = {finding["where"].get("line") for finding in verdict["findings"]}
    expect(set(case.breaks) <= lines, f"{case.capture}: breaks at {case.breaks}, findings at {lines}")
    wanted = truth["recompile_attempts_total"]
    told = verdict["summary"]["recompiles"]
    expect(told == wanted, f"{case.capture}: {told} recompiles told, {wanted} in truth")

    answer = json_of([tool, "predict", "--log", "run/trace", "--calls", "run/calls", "--format", "json"], folder)
    counted = {frame["name"]: frame["compiled_ok"] for frame in truth["frames"]}
    recorded = [function for function in answer["functions"] if function["history"] == "calls"]
    expect(bool(recorded), f"{case.capture}: no function is predicted from records")
    for function in recorded:
        test = function["back_test"]
        name = function["where"]["function"]
        is_exact = test["verdict"] == "equal" and test["predicted"]["compiles"] == counted[name]
        expect(is_exact, f"{case.capture}: {name}: {test}, {counted[name]} compiled")
        expect(function["calls"] == len(truth["calls"]), f"{case.capture}: {function['calls']} calls recorded")


def check_user_logging(tool: str, scratch: Path) -> None:
    """Who asked for logs gets those, and no others."""
    print("the user's own logging", flush=True)
    folder = scratch / "logging"
    folder.mkdir()
    (folder / "p.py").write_text(
        "import logging, os, sys, torch\n"
        "if 'SET' in os.environ: torch._logging.set_logs(graph_breaks=True)\n"
        "@torch.compile(backend='eager')\n"
        "def f(x):\n"
        "    print('in f')\n"
        "    return x + 1\n"
        "for n in (3, 4): f(torch.ones(n))\n"
        "print(sorted(k for k in os.environ if 'LOG' in k), [p for p in sys.path if 'hook' in p])\n"
        "sys.exit(5)\n"
    )
    ways = sampled(({"TORCH_LOGS": "recompiles,+dynamo"}, {"SET": "1"}, {"TORCH_LOGS": "graph_breaks"}))
    for more in ways:
        plain = call([sys.executable, "p.py"], folder, **more)
        run = call([tool, "run", "--quiet", "--", sys.executable, "p.py"], folder, **more)
        if "+dynamo" in str(more):
            # It has ids and times of its own: compare the number of lines of each kind.
            for done in (plain, run):
                tags = re.findall(rb"\[__\w+\]", done.stderr)
                done.stderr = b" ".join(sorted(tags))
        same_output(plain, run, str(more))
    logs = list((folder / "shapewise-runs").glob("*/logs/*.txt"))
    texts = [path.read_text(encoding="utf-8") for path in logs]
    both = sum("[__recompiles]" in text and "[__graph_breaks]" in text for text in texts)
    expect(both == len(ways), f"the user's own logging: recompiles and graph breaks in {both} of {len(texts)} logs")


LOOP = (
    "import sys, time, torch\n"
    "@torch.compile(backend='eager', dynamic=False)\n"
    "def step(x): return x * 2\n"
    "for n in range(2, 2000):\n"
    "    step(torch.ones(min(n, 5)))\n"
    "    time.sleep(0.01)\n"
    "    if n == 20: print('ready', flush=True)\n"
)


def check_signals(tool: str, scratch: Path) -> None:
    """Ctrl-C, as a terminal sends it to all; SIGTERM to shapewise; SIGKILL to the program."""
    folder = scratch / "signals"
    folder.mkdir()
    (folder / "p.py").write_text(LOOP)
    for name, status in (("SIGINT", 130), ("SIGTERM", 143), ("SIGKILL", 137)):
        print(name, flush=True)
        process = subprocess.Popen(
            [tool, "run", "--folder", name, "--", sys.executable, "p.py"], cwd=folder, env=environment(2),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(2.5)
        if name == "SIGINT":
            os.killpg(process.pid, signal.SIGINT)
        elif name == "SIGTERM":
            process.terminate()
        else:
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            os.kill(int(children[0]), signal.SIGKILL)
        _, err = process.communicate(timeout=PATIENCE_SECONDS)
        is_python = name == "SIGINT" and process.returncode == 1
        expect(process.returncode == status or is_python, f"{name}: exit status {process.returncode}")
        expect(b"step" in err and b"in dim 0" in err or b"size of x, dim 0" in err, f"{name}: no verdict: {err[-300:]!r}")
        records = records_of(folder / name / "calls")
        calls = sum(record["times"] for record in records)
        expect([r["inputs"]["x"]["size"] for r in records] == [[2], [3], [4], [5]], f"{name}: {records}")
        expect(calls > 60, f"{name}: {calls} calls recorded in 2.5 s of 10 ms each")


def check_killed(tool: str, scratch: Path) -> None:
    """SIGKILL to shapewise itself: the program goes on to its end, and what it left is whole."""
    print("shapewise killed", flush=True)
    folder = scratch / "killed"
    folder.mkdir()
    (folder / "p.py").write_text(
        LOOP.replace("2000", "1000") +
        "print(sys.stdin.readline().strip(), 'to the end', flush=True)\n"
        "print('and stderr', file=sys.stderr, flush=True)\n"
        "import signal\n"
        "open('end.txt', 'w').write(f'{signal.getsignal(signal.SIGTERM)!r} {signal.getsignal(signal.SIGINT)!r}')\n"
    )
    process = subprocess.Popen(
        [tool, "run", "--folder", "run", "--", sys.executable, "p.py"], cwd=folder, env=environment(2),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdout.readline()
    time.sleep(2.5)
    child = int(Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()[0])
    process.kill()
    process.wait()
    expect(Path(f"/proc/{child}/status").exists(), "killed: the program ended with shapewise")
    before = records_of(folder / "run" / "calls")
    expect([r["inputs"]["x"]["size"] for r in before] == [[2], [3], [4], [5]], f"killed: {before}")
    calls = sum(record["times"] for record in before)
    expect(calls > 60, f"killed: {calls} calls recorded in 2.5 s of 10 ms each")

    # Pipes, signals and recording are those of before.
    process.stdin.write(b"read\n")
    process.stdin.close()
    out, err = process.stdout.read(), process.stderr.read()  # up to the end of the program
    expect(out == b"read to the end\n", f"killed: stdout {out!r}")
    expect(err == b"and stderr\n", f"killed: stderr {err!r}")
    handlers = (folder / "end.txt").read_text(encoding="utf-8")
    expect("SIG_DFL" in handlers and "default_int_handler" in handlers, f"killed: handlers {handlers}")
    told = Path(f"/proc/{child}")
    for _ in range(100):
        if not told.exists() or "zombie" in (told / "status").read_text():
            break
        time.sleep(0.1)
    calls = sum(record["times"] for record in records_of(folder / "run" / "calls"))
    expect(calls == 998, f"killed: {calls} calls recorded of 998")
    verdict = json_of([tool, "lint", "--format", "json", "run"], folder)
    expect(verdict["summary"]["recompiles"] == 3, f"killed: {verdict['summary']}")
    done = call([tool, "lint", "run"], folder)
    expect(done.stderr == b"", f"killed: lint of the folder says {done.stderr!r}")


def check_processes(tool: str, scratch: Path) -> None:
    """torchrun with two ranks, multiprocessing, subprocesses, and one that does not want the hook."""
    print("torchrun", flush=True)
    folder = scratch / "ranks"
    folder.mkdir()
    (folder / "p.py").write_text(
        "import torch, torch.distributed as dist\n"
        "dist.init_process_group('gloo')\n"
        "@torch.compile(backend='eager')\n"
        "def encode(x): return x + 1\n"
        "for n in (4, 4, 6 + dist.get_rank() * 0): encode(torch.ones(n))\n"
        "if dist.get_rank() == 1: encode(torch.ones(3, 3))\n"
        "dist.barrier(); dist.destroy_process_group()\n"
    )
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port", "29731", "p.py"]
    options = ["--folder", "run", "--format", "json", "--output", "verdict.json"]
    run = call([tool, "run", *options, "--", *torchrun], folder, GLOO_SOCKET_IFNAME="lo")
    expect(run.returncode == 0, f"torchrun: {run.returncode}: {run.stderr[-500:]!r}")
    summary = json.loads((folder / "verdict.json").read_text(encoding="utf-8"))["summary"]
    expect(summary["ranks"] == [0, 1], f"torchrun: ranks {summary['ranks']}")
    expect(summary["recompiles"] == 3, f"torchrun: {summary['recompiles']} recompiles")
    by_rank = {rank: 0 for rank in (0, 1)}
    for record in records_of(folder / "run" / "calls"):
        by_rank[record["rank"]] += record["times"]
    expect(by_rank == {0: 3, 1: 4}, f"torchrun: calls by rank {by_rank}")

    print("multiprocessing and subprocesses", flush=True)
    folder = scratch / "processes"
    folder.mkdir()
    (folder / "p.py").write_text(
        "import multiprocessing, subprocess, sys, torch\n"
        "@torch.compile(backend='eager')\n"
        "def f(x): return x + 1\n"
        "def work(n): torch.set_num_threads(1); f(torch.ones(n)); f(torch.ones(n))\n"
        "if __name__ == '__main__':\n"
        "    if len(sys.argv) > 1: work(9); sys.exit()\n"
        "    work(2)\n"
        "    for way, n in (('fork', 3), ('spawn', 4)):\n"
        "        p = multiprocessing.get_context(way).Process(target=work, args=(n,)); p.start(); p.join()\n"
        "    subprocess.run([sys.executable, 'p.py', 'again'], check=True)\n"
        "    subprocess.run([sys.executable, '-I', 'p.py', 'alone'], check=True)\n"
    )
    run = call([tool, "run", "--folder", "run", "--", sys.executable, "p.py"], folder)
    expect(run.returncode == 0, f"processes: {run.returncode}: {run.stderr[-500:]!r}")
    told = b"the start-up hook did not run in 1 process that was traced: python -I"
    expect(told in run.stderr, f"processes: {run.stderr[-500:]!r}")
    sizes = sorted((r["inputs"]["x"]["size"][0], r["times"]) for r in records_of(folder / "run" / "calls"))
    expect(sizes == [(2, 2), (3, 2), (4, 2), (9, 2)], f"processes: {sizes}")


def check_live_and_disk(tool: str, scratch: Path) -> None:
    print("--live, --fail-on, --max-disk", flush=True)
    folder = scratch / "live"
    folder.mkdir()
    (folder / "p.py").write_text(LOOP.replace("2000", "200") + "print('end', flush=True)\n")
    run = call([tool, "run", "--live", "--fail-on", "note", "--folder", "run", "--", sys.executable, "p.py"], folder)
    news, _, verdict = run.stderr.partition(b"1 cause: ")
    expect(b"SWS" in news and b"step" in news, f"--live: {run.stderr[:500]!r}")
    expect(b"SWS" in verdict, f"--live: {verdict[:500]!r}")
    expect(run.returncode == 1, f"--fail-on note: exit status {run.returncode}")
    most = 400_000
    run = call([tool, "run", "--max-disk", str(most), "--folder", "small", "--", sys.executable, "p.py"], folder)
    used = sum(path.stat().st_size for part in ("logs", "trace") for path in (folder / "small" / part).iterdir())
    expect(used <= most, f"--max-disk {most}: {used} bytes")
    expect(b"because of --max-disk" in run.stderr, f"--max-disk: {run.stderr[-400:]!r}")
    expect(b"x in dim 0" in run.stderr or b"size of x, dim 0" in run.stderr, f"--max-disk: {run.stderr[-900:]!r}")


def main() -> int:
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: the truth is that of torch {NEEDED_TORCH}, this is {torch.__version__}")
        return SKIPPED
    tool = str(Path(sys.argv[1]).resolve())
    # A shell lets what it starts in the background ignore it, and what ignores it passes that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch:
        cases = sampled(CASES)
        for case in cases:
            check_capture(tool, case, Path(scratch))
        check_user_logging(tool, Path(scratch))
        check_signals(tool, Path(scratch))
        check_killed(tool, Path(scratch))
        check_processes(tool, Path(scratch))
        check_live_and_disk(tool, Path(scratch))
    print(f"{len(problems)} did not hold" if problems else f"{len(cases)} programs: all holds")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
