"""The case study in one command: what compiling a captioning model costs, and what shapewise makes of it.

    python3 tests/bench/captioning/study.py --shapewise build/release/shapewise            # small, on a CPU
    python3 tests/bench/captioning/study.py --shapewise ... --scale full --device cuda      # as published

1. The naive run (one static graph a caption length) is traced.
2. `shapewise lint` and `advise` read the trace; the sizes of all calls and the measured cost go to `shapewise buckets`, which chooses our plan.
3. Every policy is replayed over the same recorded calls by `python -m shapewise.replay`: processes of their own, cold caches, interleaved.
4. One table: steps a second when warm, compiles measured and predicted, seconds of compiling, whether losses are those of eager.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
LONGEST = 256
TOKENS, LABELS = "tokens", "labels"

Policy = dict[str, Any]


def buckets(sizes: list[int], *, static: bool) -> Policy:
    """Tokens and labels padded to the next of `sizes`; the loss passes over labels of -100."""
    return {
        "dynamic": None,
        "buckets": [
            {"arg": TOKENS, "dim": 1, "sizes": sizes, "mark_static": static},
            {"arg": LABELS, "dim": 1, "sizes": sizes, "fill": -100, "mark_static": static},
        ],
        "config": {"recompile_limit": max(8, len(sizes))} if static else {},
    }


def marked() -> Policy:
    """Both lengths marked dynamic before every call."""
    return {"marks": [{"arg": name, "dim": 1, "kind": "dynamic"} for name in (TOKENS, LABELS)]}


def fixed_policies() -> dict[str, Policy]:
    """What people do by hand."""
    return {
        "uncompiled": {"eager": True},
        "naive: dynamic=False": {"dynamic": False},
        "automatic dynamic": {},
        "mark_dynamic": marked(),
        "8 static buckets of 32": buckets(list(range(32, LONGEST + 1, 32)), static=True),
        "padded to multiples of 8": buckets(list(range(8, LONGEST + 1, 8)), static=False),
        "blocks compiled one by one": {"regions": {"modules": ["encoder.*", "decoder.*"], "way": "compile"}},
        "fixed length": buckets([LONGEST], static=True),
    }


def run(command: list[str], *, env: dict[str, str] | None = None, accepted: tuple[int, ...] = (0,)) -> str:
    """The standard output of `command`; ends the study if it fails."""
    done = subprocess.run(command, env=env, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode not in accepted:
        sys.exit(f"study: exit status {done.returncode} of: {' '.join(command)}")
    return done.stdout


def harness_environment(scale: str) -> dict[str, str]:
    """Where Python finds the package and the model, and which scale is meant."""
    paths = [str(ROOT / "python"), str(HERE), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), "SHAPEWISE_CAPTIONING_SCALE": scale}


def replay(folder: Path, name: str, calls: Path, policies: dict[str, Policy], args: argparse.Namespace) -> dict[str, Any]:
    """The harness's answer for `policies` over `calls`."""
    job = {
        "schema": "shapewise.replay-job/1",
        "subject": {
            "kind": "callable",
            "spec": f"{HERE / 'model.py'}:build",
            "factory": True,
            "make_inputs": f"{HERE / 'data.py'}:make_inputs",
        },
        "calls": str(calls),
        "policies": [{"name": policy, "policy": told} for policy, told in policies.items()],
        "device": args.device,
        "repetitions": args.repetitions,
        "passes": args.passes,
        "backward": True,
    }
    path = folder / f"{name}.job.json"
    path.write_text(json.dumps(job, indent=1), encoding="utf-8")
    command = [sys.executable, "-m", "shapewise.replay", str(path), "-o", str(folder / f"{name}.json")]
    run(command, env=harness_environment(args.scale))
    answer: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return answer


def measured_cost(folder: Path, sizes: list[int], args: argparse.Namespace) -> Path:
    """A curve of seconds a step over sizes, for `shapewise buckets --cost`: each size padded to, compiled, and timed."""
    lines = ["size,seconds"]
    for size in sizes:
        calls = folder / f"cost-{size}.calls.jsonl"
        write_calls(calls, [size] * 8, args)
        answer = replay(folder, f"cost-{size}", calls, {"static": {"dynamic": False}}, argparse.Namespace(**{**vars(args), "repetitions": 1}))
        lines.append(f"{size},{1 / answer['policies'][0]['steps_per_second']:.6f}")
    path = folder / "cost.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_calls(path: Path, sizes: list[int], args: argparse.Namespace) -> None:
    """Call records of steps whose captions are padded to `sizes`."""
    from data import call_record

    with path.open("w", encoding="utf-8") as out:
        for size in sizes:
            record = call_record(size)
            for told in record["inputs"].values():
                told["device"] = "cuda:0" if args.device == "cuda" else args.device
            out.write(json.dumps(record) + "\n")


def chosen_policy(plan: dict[str, Any]) -> Policy:
    """Our plan as a policy: what `shapewise buckets` recommends, nothing else."""
    mode = plan["recommend"]["mode"]
    if mode == "dynamic":
        return marked()
    return buckets(plan["boundaries"], static=True)


def traced_run(folder: Path, calls: Path, args: argparse.Namespace) -> Path:
    """The trace of the naive run."""
    trace = folder / "trace"
    trace.mkdir()
    env = {**harness_environment(args.scale), "TORCH_TRACE": str(trace)}
    run([sys.executable, str(HERE / "naive.py"), str(calls), args.device], env=env)
    return trace


def print_table(answer: dict[str, Any], predicted: dict[str, int | None]) -> None:
    """One row a policy, fastest first."""
    print(f"\n{answer['device']}, torch {answer['torch']}, {answer['policies'][0]['steps']} steps")
    print(f"{'policy':30} {'steps/s':>8} {'95 %':>15} {'compiles':>8} {'predicted':>9} {'compile s':>9} {'wall s':>7}  equal")
    for row in sorted(answer["policies"], key=lambda row: -(row["steps_per_second"] or 0)):
        rate, interval = row["steps_per_second"], row["steps_per_second_interval"]
        speed = f"{rate:8.2f} {interval[0]:7.2f}-{interval[1]:<7.2f}" if rate else f"{'-':>8} {'':15}"
        told = predicted.get(row["name"])
        mark = "*" if row["name"] in answer["best"] else " "
        equal = {True: "yes", False: "NO", None: "?"}[row["equal"]]
        seconds = f"{row['compile_seconds'] or 0:9.1f} {row['wall_seconds'] or 0:7.1f}"
        print(f"{row['name']:30} {speed} {row['compiles']!s:>8} {'-' if told is None else told:>9} {seconds}  {equal} {mark}")
        if row["error"]:
            print(f"    {row['error']}")
    print("* fastest, or not told apart from it by these repetitions")


def predicted_compiles(args: argparse.Namespace, calls: Path, trace: Path, policies: dict[str, Policy]) -> dict[str, int | None]:
    """What `shapewise predict` says of each policy that it can be told of."""
    told: dict[str, int | None] = {}
    for name, policy in policies.items():
        text = policy_text(policy)
        if text is None:
            continue
        command = [args.shapewise, "predict", "--calls", str(calls), "--body", str(trace), "--policy", text]
        answer = json.loads(run([*command, "--format", "json", "--exit-zero"], accepted=(0, 1)))
        totals = answer["functions"][0]["policies"][-1]["totals"]
        told[name] = totals["graphs"] if totals else None
    return told


def policy_text(policy: Policy) -> str | None:
    """A policy in the words of `predict --policy`; None: it is not about one compiled function."""
    if policy.get("eager") or policy.get("regions"):
        return None
    parts = [f"mark_dynamic({mark['arg']}, {mark['dim']})" for mark in policy.get("marks", ())]
    for padded in policy.get("buckets", ()):
        parts.append(f"buckets({padded['arg']}, {padded['dim']}, {'|'.join(map(str, padded['sizes']))})")
        if padded["mark_static"]:
            parts.append(f"mark_static({padded['arg']}, {padded['dim']})")
    if policy.get("dynamic") is not None:
        parts.append(f"dynamic={policy['dynamic']}")
    if policy.get("config"):
        parts.append(f"limit {policy['config']['recompile_limit']}")
    return " + ".join(parts) or "as-is"


def study(args: argparse.Namespace, folder: Path) -> None:
    """All of it."""
    from data import batch_sizes

    sizes = batch_sizes(args.steps, args.seed)
    calls = folder / "calls.jsonl"
    write_calls(calls, sizes, args)

    print("== the naive run, traced", flush=True)
    trace = traced_run(folder, calls, args)
    print(run([args.shapewise, "lint", "--exit-zero", str(trace)]))
    print(run([args.shapewise, "advise", "--exit-zero", str(trace)]))

    print("== what a step costs at a few lengths, and the plan", flush=True)
    cost = measured_cost(folder, args.cost_sizes, args)
    print(cost.read_text(encoding="utf-8"))
    lengths = folder / "lengths.txt"
    # A plan is for the run to come: more steps of the same kind than were traced.
    lengths.write_text("\n".join(map(str, batch_sizes(args.planned_steps, args.seed + 1))) + "\n", encoding="utf-8")
    begin = time.monotonic()
    lint = json.loads(run([args.shapewise, "lint", "--exit-zero", "--format", "json", str(trace)]))
    compile_seconds = seconds_a_compile(lint)
    command = [args.shapewise, "buckets", str(lengths), "--max", str(LONGEST), "--cost", str(cost), "--steps", str(args.planned_steps)]
    command += ["--compile-seconds", f"{compile_seconds:.2f}", "--exit-zero"]
    print(run(command))
    plan = json.loads(run([*command, "--format", "json"]))
    print(f"(reading the trace and planning: {time.monotonic() - begin:.2f} s)")

    policies = {**fixed_policies(), "our plan": chosen_policy(plan)}
    if args.policies:
        policies = {name: policy for name, policy in policies.items() if name in args.policies}
    predicted = predicted_compiles(args, calls, trace, policies)
    print("== replay", flush=True)
    answer = replay(folder, "policies", calls, policies, args)
    print_table(answer, predicted)
    print(f"our plan: {plan['recommend']['mode']}, {plan['boundaries']}: {plan['recommend']['why']}")
    if args.output:
        answer["predicted_compiles"] = predicted
        answer["plan"] = {"recommend": plan["recommend"], "boundaries": plan["boundaries"]}
        args.output.write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")


def seconds_a_compile(lint: dict[str, Any]) -> float:
    """Mean seconds of a compilation of the traced run."""
    summary = lint["summary"]
    return max(0.1, summary["compile_seconds"] / max(1, summary["compiles"]))


def main() -> int:
    """Reads the command line and runs the study."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapewise", default="build/release/shapewise", help="the program")
    parser.add_argument("--scale", choices=("small", "full"), default="small")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--steps", type=int, default=40, help="recorded steps that are replayed")
    parser.add_argument("--planned-steps", type=int, default=10_000, help="steps of the run that is planned for")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--passes", type=int, default=2)
    parser.add_argument("--cost-sizes", type=int, nargs="+", default=[32, 64, 128, 256])
    parser.add_argument("--policies", nargs="+", help="only these")
    parser.add_argument("--output", type=Path, help="figures as JSON")
    parser.add_argument("--keep", type=Path, help="keep jobs, traces and answers here")
    args = parser.parse_args()
    os.environ["SHAPEWISE_CAPTIONING_SCALE"] = args.scale
    if args.keep:
        args.keep.mkdir(parents=True, exist_ok=True)
        study(args, args.keep)
        return 0
    with tempfile.TemporaryDirectory(prefix="shapewise-captioning-") as folder:
        study(args, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
