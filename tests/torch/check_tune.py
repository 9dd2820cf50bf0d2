#!/usr/bin/env python3
"""`shapewise tune` on real programs: what it recommends, pasted by hand, does what was measured.

    tests/torch/check_tune.py PROGRAM

Programs of tune_programs/ are tuned. Counts of the unchanged program must be those that `lint` reads from PyTorch's
logs. The unchanged program and each action are then run without shapewise: actions are pasted in another way than
they were injected (code, variables, patches of files), and PyTorch itself counts. These counts must be the measured
ones, the best action must be the one that they say is best, and "no action helps" must be true by them. Then programs
that fail, that compile nothing or never end, and a tune that is killed.
Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path
from typing import Any

from expectations import environment, expect, problems
from sampling import sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
PROGRAMS = Path(__file__).resolve().parent / "tune_programs"
PATIENCE_SECONDS = 900

try:
    import torch
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)

CASES = (
    "growing_cache",
    "logging_loop",
    "partial_batch",
    "float_rate",
    "layer_number",
    "string_mode",
    "train_eval",
    "list_length",
    "two_sizes",
)

# Pastes an action: code before the first compile, arguments of torch.compile, statements before each call of a
# function in terms of its parameters. Prints what PyTorch counted.
PASTED = """
import functools, inspect, runpy, sys, torch
import torch._dynamo
original = torch.compile
PARTS = {parts!r}
for at, code, _ in PARTS:
    if at == "config":
        exec(code)
def compile(model=None, **kwargs):
    if model is None:
        return lambda model: compile(model, **kwargs)
    function = getattr(model, "forward", model)
    name = function.__code__.co_name
    for at, code, target in PARTS:
        if at == "compile_call" and target in ("", name):
            kwargs.update(eval("dict(" + code + ")"))
    kwargs["backend"] = "eager"
    compiled = original(model, **kwargs)
    before = [c for at, c, target in PARTS if at == "before_call" and target in ("", name)]
    if not before or isinstance(model, torch.nn.Module) and not isinstance(compiled, torch.nn.Module):
        return compiled
    signature = inspect.signature(function, follow_wrapped=False)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        for code in before:
            exec(code, {{"torch": torch}}, dict(bound.arguments))
        return compiled(*args, **kwargs)
    if isinstance(model, torch.nn.Module):
        call.train, call.eval, call.parameters = compiled.train, compiled.eval, compiled.parameters
    return call
torch.compile = compile
runpy.run_path({program!r}, run_name="__main__")
counters = torch._dynamo.utils.counters
print("COUNTED", counters["stats"]["unique_graphs"], sum(counters["graph_break"].values()))
"""

def call(arguments: list[str], folder: Path, stdin: Any = None, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        arguments, cwd=folder, env=environment(1, **more), capture_output=True, text=True, timeout=PATIENCE_SECONDS,
        check=False, stdin=stdin,
    )


def tune(tool: str, folder: Path, script: str, *options: str) -> tuple[subprocess.CompletedProcess[str], Any]:
    command = [tool, "tune", "--folder", "runs", "--format", "json", *options, "--", sys.executable, script]
    done = call(command, folder)
    try:
        return done, json.loads(done.stdout)
    except ValueError:
        return done, None


def worse(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """More of anything; more compiles count only if no call became compiled by them."""
    names = ("errors", "eager_calls", "limit_hits", "graph_breaks")
    if any(after[name] > before[name] for name in names):
        return True
    return after["eager_calls"] == before["eager_calls"] and after["compiles"] > before["compiles"]


def printed(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("COUNTED")]


def count(folder: Path, parts: list[tuple[str, str, str]], **more: str) -> tuple[tuple[int, int] | None, str, str]:
    """Compiles and graph breaks as PyTorch counts them, with `parts` pasted; what is printed; and errors."""
    text = PASTED.format(parts=parts, program=str(folder / "p.py"))
    (folder / "pasted.py").write_text(text, encoding="utf-8")
    done = call([sys.executable, "pasted.py"], folder, **more)
    counted = re.search(r"COUNTED (\d+) (\d+)", done.stdout)
    counts = None if counted is None else (int(counted[1]), int(counted[2]))
    return counts, "\n".join(printed(done.stdout)), done.stderr[-500:]


def variables_of(parts: list[dict[str, Any]]) -> dict[str, str]:
    """Variables of the environment that parts set: lines such as "export NAME=value"."""
    lines = [line for part in parts if part["at"] == "environment" for line in part["code"].splitlines()]
    assigned = [line.removeprefix("export ").split("=", 1) for line in lines if "=" in line]
    return {name: value.strip("'\"") for name, value in assigned}


def check_pasted(name: str, folder: Path, action: dict[str, Any], plain: str) -> tuple[int, int] | None:
    """Pastes an action as a user does; returns what PyTorch counts."""
    place = folder / "pasted"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir()
    (place / "p.py").write_bytes((folder / "p.py").read_bytes())
    if action["patch"] is not None:
        applied = subprocess.run(
            ["patch", "-p1"], cwd=place, input=action["patch"], capture_output=True, text=True, check=False
        )
        expect(applied.returncode == 0, f"{name}: the patch does not apply: {applied.stdout}{applied.stderr}")
    parts = [
        (part["at"], part["code"], part["target"]["function"] or "")
        for part in action["parts"]
        if part["at"] not in (None, "environment")
    ]
    counted, told, errors = count(place, parts, **variables_of(action["parts"]))
    run = action["run"]
    wanted = (run["compiles"], run["graph_breaks"])
    if action["verdict"] == "failed":
        return None
    expect(counted == wanted, f"{name}: {action['policy']} pasted: {counted} compiles and breaks, measured {wanted} {errors}")
    if action["verdict"] != "results_differ":
        expect(told == plain, f"{name}: {action['policy']} pasted, it prints {told[-300:]!r}")
    return counted


def check_program(tool: str, name: str, scratch: Path) -> None:
    print(name, flush=True)
    folder = scratch / name
    folder.mkdir()
    (folder / "p.py").write_bytes((PROGRAMS / f"{name}.py").read_bytes())
    done, report = tune(tool, folder, "p.py")
    expect(report is not None, f"{name}: {done.stderr[-500:]}")
    if report is None:
        return
    base = report["baseline"]
    expect(base["end"] == "ended" and base["status"] == 0, f"{name}: baseline {base['end']}, {base['status']}")
    expect(report["repeated"]["compiles"] == base["compiles"], f"{name}: {report['repeated']['compiles']} compiles")
    summary = json.loads(call([tool, "lint", "--format", "json", "runs/baseline"], folder).stdout)["summary"]
    logged = (summary["recompiles"], summary["recompile_limit_hits"])
    # A recompile refused by a limit is also logged.
    counted = (base["recompiles"] + base["limit_hits"], base["limit_hits"])
    expect(logged == counted, f"{name}: recompiles and limit hits {counted}, in logs {logged}")
    for action in report["actions"]:
        expect(action["run"] is not None, f"{name}: {action['policy']} was not run")
        if action["verdict"] == "better":
            expect(not worse(base, action["run"]), f"{name}: {action['policy']} is worse")
            expect(action["run"]["equal"] is True, f"{name}: {action['policy']}: {action['run']['equal_why']}")
    print("\n".join(f"  {base['compiles']:3} {a['run']['compiles']:3} {a['verdict']:14} {a['policy']}: {a['why']}"
                    for a in report["actions"] if a["run"]), flush=True)  # fmt: skip
    expect(done.returncode == (0 if report["best"] is None else 1), f"{name}: exit status {done.returncode}")
    plain, told, errors = count(folder, [])
    wanted = (base["compiles"], base["graph_breaks"])
    expect(plain == wanted, f"{name}: PyTorch counts {plain}, measured {wanted} {errors}")
    counts = [check_pasted(name, folder, action, told) for action in report["actions"] if action["run"]]
    least = min((counted for counted in counts if counted is not None), default=None)
    if report["best"] is not None:
        best = report["actions"][report["best"]]
        expect(check_pasted(name, folder, best, told) is not None, f"{name}: {best['policy']} fails")
    elif plain is not None and least is not None:
        fewer = [counted for counted in counts if counted is not None and counted[0] < plain[0] and counted[1] <= plain[1]]
        expect(fewer == [], f"{name}: nothing helps, but PyTorch counts {fewer} instead of {plain}")


def program(folder: Path, text: str) -> None:
    folder.mkdir()
    (folder / "p.py").write_text(textwrap.dedent(text), encoding="utf-8")


STEP = """
    import sys, time, torch
    @torch.compile(dynamic=False)
    def step(x):
        return x * 2
    """


def check_failing(tool: str, scratch: Path) -> None:
    """A program that fails at its third step; one that cannot be imported."""
    print("a program that fails", flush=True)
    folder = scratch / "failing"
    program(folder, STEP + """
    for n in range(2, 9):
        if n == 4: step(None)
        step(torch.ones(n))
    """)
    done, report = tune(tool, folder, "p.py")
    base = report["baseline"]
    got = (base["calls"], base["errors"], base["error_call"], base["status"])
    expect(got == (3, 1, 2, 1), f"failing: {got}: calls, errors, call, status")
    expect("TypeError" in base["error"], f"failing: {base['error']}")
    for action in report["actions"]:
        expect(action["run"]["calls"] == 3, f"failing: {action['policy']}: {action['run']['calls']} calls")
    text = call([tool, "tune", "--folder", "text", "--", sys.executable, "p.py"], folder).stdout
    expect("The unchanged program fails: call 2 raises TypeError" in text, f"failing: {text}")

    program(scratch / "broken", "import no_such_module")
    done, report = tune(tool, scratch / "broken", "p.py")
    told = "the program ended with status 1 before it called a compiled function: ModuleNotFoundError"
    expect(done.returncode == 2 and told in done.stderr, f"broken: {done.returncode}: {done.stderr}")


def check_nothing_compiled(tool: str, scratch: Path) -> None:
    print("a program without a compiled function", flush=True)
    folder = scratch / "nothing"
    program(folder, "import torch\nprint(torch.ones(2).sum())\n")
    done, report = tune(tool, folder, "p.py")
    expect(done.returncode == 0 and report["baseline"]["calls"] == 0, f"nothing: {done.returncode}, {report}")
    expect(report["actions"] == [] and report["best"] is None, f"nothing: {report['actions']}")
    text = call([tool, "tune", "--folder", "text", "--", sys.executable, "p.py"], folder).stdout
    expect("No function compiled by torch.compile was called." in text, f"nothing: {text}")


def check_endless(tool: str, scratch: Path) -> None:
    print("programs that never end", flush=True)
    program(scratch / "endless", STEP + """
    n = 2
    while True:
        step(torch.ones(n))
        n = 2 + n % 20
    """)
    done, report = tune(tool, scratch / "endless", "p.py", "--steps", "50", "--candidates", "2")
    ends = [report["baseline"], report["repeated"], *(action["run"] for action in report["actions"])]
    expect(all(run["end"] == "steps" and run["calls"] == 50 for run in ends), f"endless: {ends}")
    expect(done.returncode == 1, f"endless: exit status {done.returncode}")

    program(scratch / "hanging", STEP + """
    step(torch.ones(3))
    time.sleep(1000)
    """)
    done, report = tune(tool, scratch / "hanging", "p.py", "--seconds", "3", "--candidates", "1")
    base = report["baseline"]
    expect(base["end"] == "timeout" and base["calls"] == 1, f"hanging: {base['end']}, {base['calls']} calls")


def processes_of(folder: Path) -> list[int]:
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if (path / "cwd").readlink() == folder and "p.py" in (path / "cmdline").read_text():
                found.append(int(path.name))
        except OSError:
            continue
    return found


def check_killed(tool: str, scratch: Path) -> None:
    """Ctrl-C shows what is known; after SIGKILL nothing goes on running."""
    slow = STEP + """
    for n in range(2, 400):
        step(torch.ones(2 + n % 20))
        time.sleep(0.05 if n < 40 else 0.5)
    """
    for name in ("SIGINT", "SIGKILL"):
        print(f"tune gets {name}", flush=True)
        folder = scratch / name
        program(folder, slow)
        command = [tool, "tune", "--folder", "runs", "--steps", "30", "--", sys.executable, "p.py"]
        process = subprocess.Popen(
            command, cwd=folder, env=environment(1), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )
        assert process.stderr is not None
        while "baseline: " not in process.stderr.readline():  # it has ended
            pass
        time.sleep(1)
        os.kill(process.pid, getattr(signal, name))
        out, err = process.communicate(timeout=PATIENCE_SECONDS)
        deadline = time.monotonic() + 20
        while processes_of(folder) and time.monotonic() < deadline:
            time.sleep(0.2)
        expect(processes_of(folder) == [], f"{name}: {processes_of(folder)} go on")
        if name == "SIGINT":
            expect(process.returncode == 2, f"{name}: exit status {process.returncode}")
            expect("unchanged" in out and "Interrupted: not all runs were made." in out, f"{name}: {out} {err}")
        summary = json.loads(call([tool, "lint", "--format", "json", "runs/baseline"], folder).stdout)["summary"]
        expect(summary["recompile_limit_hits"] == 1, f"{name}: {summary}")


def check_inputs(tool: str, scratch: Path) -> None:
    """Each run reads standard input from its start, and gets the arguments of the command."""
    print("a program that reads standard input", flush=True)
    folder = scratch / "inputs"
    program(folder, STEP + """
    for line in sys.stdin:
        print("score", step(torch.ones(int(line), int(sys.argv[1]))).sum().item())
    """)
    (folder / "sizes.txt").write_text("3\n4\n5\n6\n")
    command = [tool, "tune", "--folder", "runs", "--format", "json", "--candidates", "2", "--", sys.executable, "p.py", "7"]
    with (folder / "sizes.txt").open() as sizes:
        done = call(command, folder, sizes)
    expect(done.stdout != "", f"inputs: {done.stderr}")
    if not done.stdout:
        return
    report = json.loads(done.stdout)
    runs = [report["baseline"], report["repeated"], *(action["run"] for action in report["actions"])]
    expect([run["calls"] for run in runs] == [4] * len(runs), f"inputs: {runs}")
    told = (folder / "runs" / "output" / "baseline.out").read_text().split()
    expect(told == ["score", "42.0", "score", "56.0", "score", "70.0", "score", "84.0"], f"inputs: {told}")


def check_emitted(tool: str, scratch: Path) -> None:
    print("forms of the answer", flush=True)
    folder = scratch / "emitted"
    code = STEP + "\n    for n in range(2, 20): step(torch.ones(n))\n"
    program(folder, code.replace("step", "encode_rows"))
    options = ["--candidates", "3", "--", sys.executable, "p.py"]
    text = call([tool, "tune", "--folder", "1", "--format", "markdown", *options], folder).stdout
    expect(text.startswith("### shapewise tune: ") and "\n| 8 | 0 | 1 |" in text and "| unchanged |" in text, f"markdown: {text}")
    done = call([tool, "tune", "--folder", "2", "--redact", "--format", "json", *options], folder)
    report = json.loads(done.stdout)
    expect("encode_rows" not in json.dumps(report["actions"]), f"--redact: {done.stdout}")
    done = call([tool, "tune", "--folder", "3", "--emit", "config", *options], folder)
    expect(done.returncode == 1, f"--emit: {done.returncode}: {done.stdout} {done.stderr}")


def main() -> int:
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: counts are those of torch {NEEDED_TORCH}, this is {torch.__version__}")
        return SKIPPED
    tool = str(Path(sys.argv[1]).resolve())
    # What a shell starts in the background ignores it, and passes that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch:
        cases = sampled(CASES)
        for name in cases:
            check_program(tool, name, Path(scratch))
        check_failing(tool, Path(scratch))
        check_nothing_compiled(tool, Path(scratch))
        check_endless(tool, Path(scratch))
        check_killed(tool, Path(scratch))
        check_inputs(tool, Path(scratch))
        check_emitted(tool, Path(scratch))
    print(f"{len(problems)} did not hold" if problems else f"{len(cases)} programs: all holds")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
