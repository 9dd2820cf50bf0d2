#!/usr/bin/env python3
"""`python -m shapewise.replay` against a count of its own, and against predictions.

    tests/torch/check_replay.py PROGRAM [CHECK | NUMBER OF A CASE ...]

Subjects of replay_subjects.py are replayed under policies of every kind. Compiles must be those that a counting
backend saw and those that `shapewise predict` predicted; results that padding changes must be found out; what raises,
dies or hangs must be an outcome. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sampling import is_whole, sampled

SKIPPED = 77
NEEDED_TORCH = "2.13"
WORKERS = 2
HERE = Path(__file__).resolve().parent
SUBJECTS = HERE / "replay_subjects.py"
PYTHON = HERE.parents[1] / "python"

try:
    import torch

    from replay_subjects import Rows
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)

Answer = dict[str, Any]
BUCKETS = "8|16|32"
NO_INPUTS = {"make_inputs": f"{SUBJECTS}:no_inputs"}  # its module has the backend that counts


@dataclass(frozen=True)
class Case:
    """A replay of one subject under one policy."""

    subject: str  # name of its call file
    spec: str
    policy: str  # as for `shapewise predict`
    equal: bool | None
    more: dict[str, Any] = field(default_factory=dict)  # members of the policy that words cannot express
    job: dict[str, Any] = field(default_factory=dict)
    is_predicted: bool = True


CASES = (
    Case("weighted", "weighted", "as-is", True),
    Case("weighted", "weighted", "dynamic=False", True),
    Case("weighted", "weighted", "mark_dynamic(x, 1) + limit 2", True),
    Case("weighted", "weighted", f"buckets(x, 1, {BUCKETS}) + mark_static(x, 1)", False),
    Case("branching", "branching", "as-is", True),
    Case("branching", "branching", "limit 2 + isolate", True),
    Case("branching", "branching", "buckets(x, 1, 8|32|64) + dynamic=False", False),
    Case("pooled", "Pooled", "as-is", True),
    Case("pooled", "Pooled", f"buckets(ids, 1, {BUCKETS}) + dynamic=False", False),
    Case(
        *("pooled", "Pooled", f"buckets(ids, 1, {BUCKETS}) + dynamic=False", True),
        more={"masks": [{"arg": "mask", "like": "ids", "dim": 1}]},
        is_predicted=False,
    ),
    Case("leaky", "Leaky", "as-is", True),
    Case("leaky", "Leaky", f"buckets(x, 0, {BUCKETS}) + dynamic=False", False),
    Case("rows", "make_rows", f"buckets(x, 0, {BUCKETS}) + dynamic=False", True, job={"backward": True}),
    Case("leaky", "Leaky", "dynamic=True", True, job={"backward": True}),
    Case(
        *("rows", "make_rows", "as-is", True),
        more={"regions": {"modules": ["layers.*"]}},
        is_predicted=False,
    ),
    Case(
        *("rows", "make_rows", "as-is", True),
        more={"regions": {"modules": ["layers.*"], "way": "nested"}},
        is_predicted=False,
    ),
    Case("dropping", "dropping", "as-is", True),
)


class Bench:
    """A folder with calls and traces, and the two programs."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.failures: list[str] = []

    def expect(self, holds: bool, what: str) -> None:
        """Notes what does not hold."""
        if not holds:
            print(f"WRONG {what}", flush=True)
            self.failures.append(what)

    def probe(self) -> None:
        """Writes calls and traces."""
        environment = {**os.environ, "TORCH_TRACE": str(self.folder)}
        subprocess.run(
            [sys.executable, str(SUBJECTS), str(self.folder)], env=environment, check=True, stderr=subprocess.DEVNULL
        )

    def capture(self) -> None:
        """Writes a graph as text and as an exported program.

        Before any check runs: while one thread exports, what another compiles runs eagerly.
        """
        texts: list[str] = []

        def backend(graph: Any, _: Any) -> Callable[..., Any]:
            texts.append(graph.print_readable(print_output=False, include_stride=True, include_device=True))
            return graph.forward  # type: ignore[no-any-return]

        torch.compile(Rows(), backend=backend, dynamic=True)(torch.zeros(7, 6, requires_grad=True))
        (self.folder / "rows.py").write_text(texts[0], encoding="utf-8")
        rows = torch.export.Dim("rows", min=2, max=64)
        exported = torch.export.export(Rows(), (torch.zeros(7, 6),), dynamic_shapes={"x": {0: rows}})
        torch.export.save(exported, self.folder / "rows.pt2")

    def predicted(self, case: Case) -> Answer:
        """What is predicted of a case: totals."""
        trace = next((self.folder / case.subject).iterdir())
        command = [self.program, "predict", "--calls", str(self.calls(case.subject)), "--body", str(trace)]
        done = subprocess.run(
            [*command, "--policy", case.policy, "--format", "json"], capture_output=True, text=True, check=True
        )
        totals: Answer = json.loads(done.stdout)["functions"][0]["policies"][-1]["totals"]
        return totals

    def calls(self, subject: str) -> Path:
        """The call records of a subject."""
        return self.folder / f"{subject}.jsonl"

    def job(self, name: str, subject: Any, calls: str, policies: dict[str, Any], **more: Any) -> Path:
        """Writes a job."""
        told = {
            "schema": "shapewise.replay-job/1",
            "subject": subject if isinstance(subject, dict) else {"kind": "callable", "spec": f"{SUBJECTS}:{subject}"},
            "calls": str(self.calls(calls)),
            "policies": [{"name": key, "policy": policy} for key, policy in policies.items()],
            **{"repetitions": 1, "passes": 1, "threads": 1, "device": "cpu"},
            **more,
        }
        path = self.folder / f"{name}.job.json"
        path.write_text(json.dumps(told), encoding="utf-8")
        return path

    def start(self, job: Path) -> subprocess.Popen[str]:
        """Starts a replay, whose backend counts in JOB.count."""
        paths = os.pathsep.join(filter(None, (str(PYTHON), os.environ.get("PYTHONPATH"))))
        environment = {
            **os.environ,
            **{"PYTHONPATH": paths, "COUNT_FILE": f"{job}.count", "PID_FILE": f"{job}.pid"},
        }
        return subprocess.Popen(
            [sys.executable, "-m", "shapewise.replay", str(job), "-o", f"{job}.out"],
            env=environment,
            text=True,
            stderr=subprocess.PIPE,
        )

    def replay(self, job: Path) -> Answer:
        """Runs a job to its end."""
        with self.start(job) as process:
            said = process.communicate()[1]
        if process.returncode != 0:
            raise RuntimeError(f"{job.name}: exit status {process.returncode}: {said.strip()}")
        if said:
            raise RuntimeError(f"{job.name}: stderr is no terminal, and got: {said.strip()}")
        answer: Answer = json.loads(Path(f"{job}.out").read_text(encoding="utf-8"))
        return answer

    def refused(self, job: Path, words: str) -> None:
        """Runs a job that cannot be done."""
        with self.start(job) as process:
            said = process.communicate()[1]
        held = process.returncode == 2 and words in said and len(said.splitlines()) == 1
        self.expect(held, f"{job.name}: exit status {process.returncode}: {said.strip()}")

    def counted(self, job: Path) -> int:
        """How many graphs the backend was given."""
        path = Path(f"{job}.count")
        return len(path.read_text(encoding="utf-8").splitlines()) if path.exists() else 0


def check_case(bench: Bench, number: int) -> None:
    """One policy: counts, limits, results."""
    case = CASES[number]
    name = f"{case.spec}: {case.policy} {case.more or ''}".rstrip()
    policy = {**policy_json(case.policy), **case.more, "backend": "counting"}
    job = bench.job(f"case{number}", case.spec, case.subject, {"p": policy}, **case.job)
    answer = bench.replay(job)
    row = answer["policies"][0]
    bench.expect(row["error"] is None, f"{name}: raised {row['error']}")
    bench.expect(
        row["compiles"] == bench.counted(job), f"{name}: {row['compiles']} compiles, {bench.counted(job)} counted"
    )
    bench.expect(row["late_compiles"] == 0, f"{name}: compiled while it was timed")
    bench.expect(row["equal"] is case.equal, f"{name}: equal is {row['equal']}: {row['equal_why']}")
    bench.expect((row["steps_per_second"] or 0) > 0 and row["peak_bytes"] > 0, f"{name}: no figures")
    bench.expect(answer["best"] == (["p"] if case.equal else []), f"{name}: best is {answer['best']}")
    said = f"{row['compiles']} compiles, equal {row['equal']}"
    if case.is_predicted:
        totals = bench.predicted(case)
        bench.expect(totals["graphs"] == row["compiles"], f"{name}: {totals['graphs']} predicted, {said}")
        bench.expect(
            (totals["limit_hits"] > 0) == row["recompile_limit_hit"],
            f"{name}: limit hit is {row['recompile_limit_hit']}, {totals['limit_hits']} predicted",
        )
        said += ", as predicted"
    print(f"{name}: {said}", flush=True)


def policy_json(text: str) -> Any:
    """A policy as an object, to which more can be added."""
    sys.path.insert(0, str(PYTHON))
    from dataclasses import asdict

    from shapewise.replay.policy_text import parse_policy

    policy = parse_policy(text)
    value = asdict(policy)
    for member in ("marks", "buckets"):
        for item in value[member]:
            item["arg"] = item.pop("source")
    return {key: item for key, item in value.items() if item not in (None, "", (), {})}


def check_graph(bench: Bench) -> None:
    """A captured graph as text, bound by names or by sources."""
    path = bench.folder / "rows.py"
    subject = {"kind": "graph", "path": str(path), "trust": True, **NO_INPUTS}
    job = bench.job("graph", subject, "rows", {"p": {"backend": "counting"}})
    answer = bench.replay(job)
    row = answer["policies"][0]
    bench.expect(row["equal"] is True, f"graph: equal is {row['equal']}: {row['error'] or row['equal_why']}")
    bench.expect(row["compiles"] == bench.counted(job) == 2, f"graph: {row['compiles']} compiles")
    bench.expect(any("random" in note for note in answer["notes"]), "graph: weights are not said to be random")
    check_script(bench, answer, 2)
    path.write_text("class Graph(torch.nn.Module):\n def forward(self, L_x_):\n  return self._tensor_constant0")
    bench.refused(job, "_tensor_constant0")
    print(f"graph: {row['compiles']} compiles, equal {row['equal']}", flush=True)


def check_script(bench: Bench, answer: Answer, compiles: int) -> None:
    """The written program does the same by itself, without the package."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    wanted = "backend='counting'"
    source = Path(answer["script"]).read_text(encoding="utf-8")
    bench.expect(wanted in source, "script: it does not compile as the policy says")
    # A graph's program does not know the backend of the test, so Dynamo's own replaces it.
    Path(answer["script"]).write_text(source.replace(wanted, "backend='eager'"), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, answer["script"]], capture_output=True, text=True, check=False, env=environment
    )
    bench.expect(f"compiles {compiles}\n" in done.stdout, f"script: {done.stdout} {done.stderr[-500:]}")


def check_exported(bench: Bench) -> None:
    """An exported program; one of the calls is outside of what it was exported for."""
    path = bench.folder / "rows.pt2"
    subject = {"kind": "pt2", "path": str(path), "trust": True, **NO_INPUTS}
    job = bench.job("pt2", subject, "rows", {"p": {"backend": "counting"}})
    row = bench.replay(job)["policies"][0]
    bench.expect(row["equal"] is True, f"pt2: equal is {row['equal']}: {row['error'] or row['equal_why']}")
    bench.expect(row["compiles"] == bench.counted(job) == 2, f"pt2: {row['compiles']} compiles")
    print(f"pt2: {row['compiles']} compiles, equal {row['equal']}", flush=True)


def check_outcomes(bench: Bench) -> None:
    """A policy that raises, beside one that does not; options and arguments that are not there."""
    policies = {
        "range": "mark_dynamic(x, 1, min=8, max=16) + backend=counting",
        "eager": "eager",
        "option": {"config": {"recompile_limits": 3}},
        "argument": "mark_static(y, 0)",
    }
    job = bench.job("outcomes", "weighted", "weighted", policies)
    answer = bench.replay(job)
    rows = {row["name"]: row for row in answer["policies"]}
    bench.expect("ConstraintViolationError" in (rows["range"]["error"] or ""), f"range: {rows['range']['error']}")
    bench.expect(rows["range"]["error_call"] == 0, f"range: error at call {rows['range']['error_call']}")
    bench.expect(rows["eager"]["compiles"] == 0, f"eager: {rows['eager']['compiles']} compiles")
    bench.expect("recompile_limits" in (rows["option"]["error"] or ""), f"option: {rows['option']['error']}")
    bench.expect("'y'" in (rows["argument"]["error"] or ""), f"argument: {rows['argument']['error']}")
    bench.expect(answer["best"] == ["eager"], f"outcomes: best is {answer['best']}")
    bench.refused(bench.job("missing", {"kind": "callable", "spec": "no.py:step"}, "weighted", {"p": "eager"}), "no.py")
    bench.refused(bench.job("unnamed", "nothing", "weighted", {"p": "eager"}), "has no 'nothing'")
    print("outcomes: errors are told", flush=True)


def check_results(bench: Bench) -> None:
    """What is written into an input counts; nothing to compare is not equal; other results are found out."""
    verdicts = {"writing": True, "silent": None, "miscompiled": False}
    for spec, wanted in verdicts.items():
        answer = bench.replay(bench.job(spec, spec, "dropping", {"p": {"backend": "counting"}}))
        row = answer["policies"][0]
        bench.expect(row["equal"] is wanted, f"{spec}: equal is {row['equal']}: {row['error'] or row['equal_why']}")
    print("results: written inputs, no results, and wrong ones are told apart", flush=True)


def check_ends(bench: Bench) -> None:
    """A process that dies, one that hangs, and an interrupt."""
    job = bench.job("dying", "dying", "weighted", {"p": "eager"})
    told = json.loads(job.read_text(encoding="utf-8"))
    calls = bench.folder / "plain.jsonl"
    calls.write_text("".join(json.dumps({"inputs": {"x": {"size": [4, n]}}}) + "\n" for n in (5, 9)), encoding="utf-8")
    told["calls"] = str(calls)
    job.write_text(json.dumps(told), encoding="utf-8")
    error = bench.replay(job)["policies"][0]["error"] or ""
    bench.expect("SIGKILL" in error, f"dying: {error}")
    told["subject"]["spec"] = f"{SUBJECTS}:hanging"
    job.write_text(json.dumps(told | {"timeout_seconds": 30}), encoding="utf-8")
    error = bench.replay(job)["policies"][0]["error"] or ""
    bench.expect("longer than 30 s" in error, f"hanging: {error}")
    job.write_text(json.dumps(told), encoding="utf-8")
    said = Path(f"{job}.pid")
    said.unlink(missing_ok=True)
    with bench.start(job) as process:
        last = time.monotonic() + 120
        while not (said.exists() and said.read_text(encoding="ascii")) and time.monotonic() < last:
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    bench.expect(process.returncode == 130, f"interrupt: exit status {process.returncode}")
    pid = int(said.read_text(encoding="ascii"))
    # The kernel ends the child when its parent dies; on a busy machine it takes a while to be gone.
    last = time.monotonic() + 20
    while is_running(pid) and time.monotonic() < last:
        time.sleep(0.1)
    bench.expect(not is_running(pid), "interrupt: a process is left behind")
    print("ends: dead, hanging and interrupted processes are told, and none is left", flush=True)


def is_running(pid: int) -> bool:
    """Whether there is such a process that is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(") ")[2][0] != "Z"
    except OSError:
        return False


def check_inductor(bench: Bench) -> None:
    """The real backend: kernels draw other random numbers, unless they are told not to; identical policies tie."""
    policies = {
        "kernels": {},
        "same numbers": {"options": {"fallback_random": True}},
        "again": {"options": {"fallback_random": True}},
    }
    job = bench.job("inductor", "dropping", "dropping", policies)
    answer = bench.replay(job)
    rows = {row["name"]: row for row in answer["policies"]}
    bench.expect(all(row["error"] is None for row in rows.values()), f"inductor: {rows}")
    bench.expect(rows["kernels"]["equal"] is None, f"inductor: equal is {rows['kernels']['equal']}")
    bench.expect(rows["same numbers"]["equal"] is True, f"inductor: {rows['same numbers']['equal_why']}")
    bench.expect(sorted(answer["best"]) == sorted(policies), f"inductor: best is {answer['best']}")
    bench.expect(rows["again"]["compiles"] == 2 and rows["again"]["compile_seconds"] > 0, "inductor: no compiles")
    print("inductor: unknown where random numbers differ, equal where they do not", flush=True)


def check_costs(bench: Bench) -> None:
    """What sizes cost: a graph for each size and one for all; what cannot be asked is told, and ends nothing."""
    varied = {"varied": [{"arg": "x", "dim": 1}]}
    job = bench.job("costs", "weighted", "weighted", {"p": {"backend": "counting"}}, **varied)
    asked = (16, 24, 16, 40)
    lines = [json.dumps({"time": {"size": size}}) for size in asked] + ["{", '{"time": {"size": 0}}']
    ready, *answers = serve(bench, job, lines)
    bench.expect(ready["ready"]["torch"] == torch.__version__, f"costs: {ready}")
    bench.expect([a["time"] and a["time"]["size"] for a in answers] == [*asked, None, 0], f"costs: {answers}")
    for answer in answers[: len(asked)]:
        for member in ("seconds", "dynamic", "eager", "runs"):
            bench.expect((answer.get(member) or 0) > 0, f"costs: {member} of {answer}")
        bench.expect(answer["compile_seconds"] >= 0, f"costs: {answer}")
        bench.expect(answer["reference"]["size"] == asked[0], f"costs: the reference of {answer}")
        spreads = [answer[f"{prefix}spread"] for prefix in ("", "dynamic_", "eager_")]
        bench.expect(all(0 <= spread < 10 for spread in spreads), f"costs: {answer}")
    told = [a["dynamic_compile_seconds"] is None for a in answers[: len(asked)]]
    bench.expect(told == [False, True, True, True], f"costs: the dynamic graph is compiled once: {told}")
    bench.expect(all("error" in answer for answer in answers[len(asked) :]), f"costs: {answers[len(asked):]}")
    bench.expect(bench.counted(job) == len(asked) + 1, f"costs: {bench.counted(job)} graphs")
    broken = bench.job("no-costs", "weighted", "weighted", {"p": "eager"}, varied=[{"arg": "y", "dim": 1}])
    said = serve(bench, broken, lines[:1], status=2)
    bench.expect(said == [{"fatal": "there is no argument 'y'"}], f"costs: {said}")
    print(f"costs: {bench.counted(job)} graphs for {len(asked)} sizes and one for all", flush=True)


def serve(bench: Bench, job: Path, lines: list[str], status: int = 0) -> list[Any]:
    """What is said to requests."""
    environment = {**os.environ, "PYTHONPATH": str(PYTHON), "COUNT_FILE": f"{job}.count"}
    done = subprocess.run(
        [sys.executable, "-m", "shapewise.replay", "--serve", str(job)],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    bench.expect(done.returncode == status, f"{job.name}: exit status {done.returncode}: {done.stderr[-500:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def check_cuda_graphs(bench: Bench) -> None:
    """Without a CUDA device, CUDA graphs are a thing that cannot be done."""
    job = bench.job("graphs", "weighted", "weighted", {"p": "eager"})
    environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
    done = subprocess.run(
        [sys.executable, "-m", "shapewise.replay", "--cudagraphs", str(job)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    held = done.returncode == 2 and "CUDA" in done.stderr and not done.stdout
    bench.expect(held, f"cudagraphs: {done.returncode} {done.stderr}")


CHECKS: tuple[Callable[[Bench], None], ...] = (
    *((check_inductor,) if is_whole() else ()),  # a minute of a C++ compiler's time
    check_ends,
    check_outcomes,
    check_exported,
    check_graph,
    check_results,
    check_costs,
    check_cuda_graphs,
)


def main() -> int:
    """Probes, then replays, two at a time."""
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    chosen = sys.argv[2:]
    if not torch.__version__.startswith(NEEDED_TORCH):
        print(f"skipped: torch is {torch.__version__}, predictions are of {NEEDED_TORCH}")
        return SKIPPED
    # A shell lets what it starts in the background ignore it, and what ignores it passes that on.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(sys.argv[1], Path(scratch))
        bench.probe()
        bench.capture()
        checks = [check for check in CHECKS if not chosen or check.__name__ in chosen]
        cases = [number for number in sampled(range(len(CASES))) if not chosen or str(number) in chosen]
        with ThreadPoolExecutor(WORKERS) as pool:
            running = [pool.submit(check, bench) for check in checks]
            running += [pool.submit(check_case, bench, number) for number in cases]
            for future in running:
                future.result()
    print(f"{len(cases)} policies and {len(checks)} other checks, {len(bench.failures)} do not hold")
    return 1 if bench.failures else 0


if __name__ == "__main__":
    sys.exit(main())
