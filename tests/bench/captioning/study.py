"""The case study in one command: what compiling a captioning model costs, and what shapewise makes of it.

    python3 tests/bench/captioning/study.py --shapewise build/release/shapewise            # small, on a CPU
    python3 tests/bench/captioning/study.py --shapewise ... --scale full --device cuda      # as published

1. The naive run (one static graph a caption length) is traced; `shapewise lint` and `advise` read the trace.
2. A few calls that compile to nothing show Dynamo the model with lengths that vary: `shapewise predict` needs to know what it asks of them.
3. `shapewise replay` measures what a few lengths cost, `shapewise buckets` makes of it a plan for the lengths of the run to come.
4. Every policy is replayed over the recorded calls by `python -m shapewise.replay`: processes of their own, cold caches, interleaved.
5. One table: steps a second when warm, compiles measured and predicted, seconds of compiling and of all planned steps, losses beside eager.

A step is a forward and a backward pass; what an optimizer does depends on no length. Exit status: 0; 1 if a prediction does not hold,
losses differ, or a fixed policy is faster than the plan, their intervals apart; 2 it could not be run.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from data import batch_sizes, block_records, call_record  # noqa: E402
from plan_words import for_each, padded, words_of_plan  # noqa: E402

ROOT = HERE.parents[2]
MODEL = HERE / "model.py"
LONGEST = 256
TOKENS, LABELS = "tokens", "labels"
PADDED = {TOKENS: 0, LABELS: -100}  # the loss passes over labels of -100
OURS = "our plan"
BLOCKS = "blocks compiled one by one"
UNCOMPILED = "uncompiled"
TROUBLE = 2

Answer = dict[str, Any]
# In the words of `shapewise predict --policy`, or as the JSON of a job if there are no such words.
Policy = str | dict[str, Any]


def fixed_policies() -> dict[str, Policy]:
    """What people do by hand."""
    return {
        UNCOMPILED: "eager",
        "naive: dynamic=False": "dynamic=False",
        "automatic dynamic": "as-is",
        "mark_dynamic": for_each(PADDED, "mark_dynamic"),
        "8 static buckets of 32": padded(PADDED, range(32, LONGEST + 1, 32), "mark_static"),
        "padded to multiples of 8": padded(PADDED, range(8, LONGEST + 1, 8), None),
        BLOCKS: {"regions": {"modules": ["encoder.*", "decoder.*"], "way": "compile"}},
        "fixed length": padded(PADDED, [LONGEST], "mark_static"),
    }


@dataclass
class Study:
    """The programs, the folder that they work in, and what was asked for."""

    args: argparse.Namespace
    folder: Path
    begin: float = field(default_factory=time.monotonic)

    def run(self, command: list[str], trace: Path | None = None, accepted: tuple[int, ...] = (0,)) -> str:
        """The standard output of `command`; ends the study if it fails."""
        paths = [str(ROOT / "python"), str(HERE), os.environ.get("PYTHONPATH", "")]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        environment["SHAPEWISE_CAPTIONING_SCALE"] = self.args.scale
        if trace is not None:
            trace.mkdir(parents=True)
            environment["TORCH_TRACE"] = str(trace)
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in accepted:
            print(f"study: exit status {done.returncode} of: {' '.join(command)}", file=sys.stderr)
            sys.exit(TROUBLE)
        return done.stdout

    def shapewise(self, *arguments: str) -> str:
        """What a command of the program prints."""
        return self.run([self.args.shapewise, *arguments])

    def trace(self, what: str, calls: Path) -> Path:
        """The trace of a run of naive.py."""
        folder = self.folder / f"trace-{what}"
        backend = self.args.trace_backend or self.args.backend
        self.run([sys.executable, str(HERE / "naive.py"), what, str(calls), self.args.device, backend], folder)
        return folder

    def write(self, name: str, records: list[dict[str, Any]]) -> Path:
        """Writes call records."""
        path = self.folder / name
        path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        return path

    def measured_cost(self, calls: Path) -> Path:
        """Seconds of a step by length, static, dynamic and eager, as `shapewise buckets --cost` reads them."""
        path = self.folder / "cost.csv"
        sizes = ",".join(map(str, self.args.cost_sizes))
        subject = ["--callable", f"{MODEL}:build", "--make-inputs", f"{HERE / 'data.py'}:make_inputs", "--calls", str(calls)]
        how = ["--device", self.args.device, "--backend", self.args.backend, "--backward", "--python", sys.executable]
        what = ["--dim", f"{TOKENS}:1", "--dim", f"{LABELS}:1", "--sizes", sizes, "--cost-file", str(path)]
        print(self.shapewise("replay", *subject, *how, *what))
        return path

    def plan(self, cost: Path) -> Answer:
        """The plan of `shapewise buckets` for steps that are still to come."""
        lengths = self.folder / "lengths.txt"
        sizes = batch_sizes(self.args.planned_steps, self.args.seed + 1)
        lengths.write_text("\n".join(map(str, sizes)) + "\n", encoding="utf-8")
        asked = ["buckets", str(lengths), "--max", str(LONGEST), "--cost", str(cost), "--exit-zero"]
        begin = time.monotonic()
        print(self.shapewise(*asked))
        print(f"(read and planned in {time.monotonic() - begin:.2f} s)")
        plan: Answer = json.loads(self.shapewise(*asked, "--format", "json"))
        return plan

    def predicted(self, policies: dict[str, Policy], calls: Path) -> dict[str, int | None]:
        """Compiles of each policy, as `shapewise predict` has them; None where it does not know."""
        told: dict[str, int | None] = {}
        for name, policy in policies.items():
            if name == UNCOMPILED:
                told[name] = 0
            elif isinstance(policy, str):
                told[name] = self.predicted_graphs(calls, self.folder / "trace-body", policy)
            else:
                blocks = [record for size in self.sizes() for record in block_records(size)]
                path = self.write("blocks.jsonl", self.on_device(blocks))
                told[name] = self.predicted_graphs(path, self.trace("blocks", calls), "as-is")
        return told

    def predicted_graphs(self, calls: Path, body: Path, words: str) -> int | None:
        """Graphs that the calls of a function compile under one policy."""
        asked = ["predict", "--calls", str(calls), "--body", str(body), "--policy", words, "--exit-zero"]
        answer = json.loads(self.shapewise(*asked, "--format", "json"))
        totals = answer["functions"][0]["policies"][-1]["totals"]
        return totals["graphs"] if totals else None

    def replay(self, policies: dict[str, Policy], calls: Path, predicted: dict[str, int | None]) -> Answer:
        """The harness's answer."""
        job = {
            "schema": "shapewise.replay-job/1",
            "subject": {
                "kind": "callable",
                "spec": f"{MODEL}:build",
                "factory": True,
                "make_inputs": f"{HERE / 'data.py'}:make_inputs",
            },
            "calls": str(calls),
            "policies": [
                {"name": name, "policy": self.with_backend(policy), "predicted": predicted.get(name)}
                for name, policy in policies.items()
            ],
            "device": self.args.device,
            "repetitions": self.args.repetitions,
            "cold_repetitions": self.args.cold_repetitions,
            "compile_jobs": self.args.compile_jobs,
            "seconds": self.seconds_left(),
            "passes": self.args.passes,
            "backward": True,
            "horizon": self.args.planned_steps,
        }
        path = self.folder / "policies.job.json"
        path.write_text(json.dumps(job, indent=1), encoding="utf-8")
        output = self.folder / "policies.json"
        self.run([sys.executable, "-m", "shapewise.replay", str(path), "-o", str(output)])
        answer: Answer = json.loads(output.read_text(encoding="utf-8"))
        return answer

    def with_backend(self, policy: Policy) -> Policy:
        """The policy with the backend that was asked for."""
        if isinstance(policy, str):
            return f"{policy} + backend={self.args.backend}"
        return {**policy, "backend": self.args.backend}

    def figures(self, answer: Answer, plan: Answer) -> Answer:
        """What is worth keeping of an answer: no path of this machine."""
        args = self.args
        how = f"--scale {args.scale} --device {args.device} --backend {args.backend} --steps {args.steps}"
        how += f" --compile-jobs {args.compile_jobs}" if args.compile_jobs > 1 else ""
        left_out = ("error_call", "error_calls", "entries", "late_compiles", "equal_why")
        return {
            "schema": "shapewise.captioning/1",
            "command": f"study.py {how} --repetitions {args.repetitions} --passes {args.passes}",
            "date": datetime.date.today().isoformat(),
            "scale": args.scale,
            **{name: answer[name] for name in ("device", "torch", "repetitions", "horizon", "best")},
            "plan": {name: plan[name] for name in ("recommend", "boundaries")},
            "policies": [
                {name: value for name, value in row.items() if name not in left_out} for row in answer["policies"]
            ],
        }

    def seconds_left(self) -> float | None:
        """What is left of --seconds; None: as long as it takes."""
        if self.args.seconds is None:
            return None
        return max(1.0, self.begin + self.args.seconds - time.monotonic())

    def sizes(self) -> list[int]:
        """Lengths of the recorded steps."""
        return batch_sizes(self.args.steps, self.args.seed)

    def on_device(self, records: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Records whose tensors are where the run is."""
        device = "cuda:0" if self.args.device == "cuda" else self.args.device
        for record in records:
            for told in record["inputs"].values():
                if isinstance(told, dict) and "size" in told:
                    told["device"] = device
        return records

    def all(self) -> int:
        """Everything; the exit status."""
        calls = self.write("calls.jsonl", self.on_device([call_record(size) for size in self.sizes()]))
        print("== the naive run, traced", flush=True)
        trace = self.trace("train", calls)
        print(self.shapewise("lint", "--exit-zero", str(trace)))
        print(self.shapewise("advise", "--exit-zero", str(trace)))
        self.trace("body", calls)

        print("== what a step costs, and the plan", flush=True)
        plan = self.plan(self.args.cost or self.measured_cost(calls))
        print(f"our plan: {plan['recommend']['mode']}, {plan['boundaries']}: {plan['recommend']['why']}")

        policies = {OURS: words_of_plan(plan, PADDED), **fixed_policies()}  # the last ones may find no time
        if self.args.policies:
            policies = {name: policy for name, policy in policies.items() if name in self.args.policies}
        print("== replay", flush=True)
        answer = self.replay(policies, calls, self.predicted(policies, calls))
        print_table(answer)
        if self.args.output:
            figures = self.figures(answer, plan)
            self.args.output.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        faults = faults_of(answer)
        print("\n".join(faults) or "every prediction holds, losses are equal, no fixed policy is faster than the plan")
        return 1 if faults else 0


def print_table(answer: Answer) -> None:
    """One row a policy, fastest first."""
    print(f"\n{answer['device']}, torch {answer['torch']}, {answer['policies'][0]['steps']} steps, {answer['repetitions']} processes each")
    whole = f"s of {answer['horizon']}"
    print(f"{'policy':28} {'steps/s':>8} {'95 %':>17} {'compiles':>8} {'predicted':>9} {'compile s':>9} {whole:>14}  equal")
    for row in sorted(answer["policies"], key=lambda row: -(row["steps_per_second"] or 0)):
        rate, interval = row["steps_per_second"], row["steps_per_second_interval"]
        speed = f"{rate:8.2f} {interval[0]:8.2f}-{interval[1]:<8.2f}" if rate else f"{'-':>8} {'':17}"
        predicted = "-" if row["predicted"] is None else row["predicted"]
        equal = {True: "yes", False: "NO", None: "?"}[row["equal"]]
        seconds = f"{row['compile_seconds'] or 0:9.1f} {row['horizon_seconds'] or 0:14.0f}"
        limit = " limit hit" if row["recompile_limit_hit"] else ""
        print(f"{row['name']:28} {speed} {row['compiles']!s:>8} {predicted!s:>9} {seconds}  {equal}{limit}")
        if row["error"]:
            print(f"    {row['error']}")


def faults_of(answer: Answer) -> list[str]:
    """What does not hold of what the study is to show."""
    rows = {row["name"]: row for row in answer["policies"]}
    faults = [f"{name}: {row['error']}" for name, row in rows.items() if row["error"]]
    for name, row in rows.items():
        if row["compiles"] is None:
            continue  # there was no time for it
        if row["predicted"] != row["compiles"]:
            faults.append(f"{name}: {row['compiles']} compiles, {row['predicted']} predicted")
        if row["equal"] is False:
            faults.append(f"{name}: losses differ by {row['max_abs_error']}")
    ours = rows.get(OURS)
    if ours is None or not ours["steps_per_second"]:
        return faults
    for name, row in rows.items():
        if row["steps_per_second"] and row["steps_per_second_interval"][0] > ours["steps_per_second_interval"][1]:
            faults.append(f"{name} is faster than {OURS}: {row['steps_per_second']:.2f} steps/s")
    return faults


def main() -> int:
    """Reads the command line and runs the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapewise", default="build/release/shapewise", help="the program")
    parser.add_argument("--scale", choices=("small", "shallow", "full"), default="small")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--backend", default="inductor", help="eager makes no kernels, and shows that all else works")
    parser.add_argument("--trace-backend", help="of the traced naive run [that of --backend]")
    parser.add_argument("--steps", type=int, default=40, help="recorded steps that are replayed")
    parser.add_argument("--planned-steps", type=int, default=100_000, help="steps of the run that is planned for")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--cold-repetitions", type=int, help="the others reuse what these compiled [all]")
    parser.add_argument("--compile-jobs", type=int, default=1, help="compile so many policies at once, before steps are timed")
    parser.add_argument("--seconds", type=float, help="most seconds of the study: what is not measured by then is left out")
    parser.add_argument("--passes", type=int, default=3)
    parser.add_argument("--cost-sizes", type=int, nargs="+", default=[32, 64, 128, 256])
    parser.add_argument("--cost", type=Path, help="what was measured before (cost.csv of --keep)")
    parser.add_argument("--policies", nargs="+", help="only these")
    parser.add_argument("--output", type=Path, help="figures as JSON")
    parser.add_argument("--keep", type=Path, help="keep jobs, traces and answers here")
    args = parser.parse_args()
    os.environ["SHAPEWISE_CAPTIONING_SCALE"] = args.scale
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
        return Study(args, args.keep).all()
    with tempfile.TemporaryDirectory(prefix="shapewise-captioning-") as folder:
        return Study(args, Path(folder)).all()


if __name__ == "__main__":
    sys.exit(main())
