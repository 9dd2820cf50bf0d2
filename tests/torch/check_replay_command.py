#!/usr/bin/env python3
"""`shapewise replay` and `advise --replay` from end to end: a run is traced, its advice is run.

    tests/torch/check_replay_command.py PROGRAM

A function is called with sizes that vary; its trace and its calls are recorded. Then every action is run, and what the
simulator predicted of each policy must be what Dynamo counted. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SKIPPED = 77
NEEDED_TORCH = "2.13"

try:
    import torch  # noqa: F401
except ImportError as error:
    print(f"skipped: {error}; pip install torch=={NEEDED_TORCH}.0")
    sys.exit(SKIPPED)

TRAIN = """\
import torch


def step(x, scale):
    return torch.relu(x * scale).sum(dim=1)


def wrong_when_padded(x, scale):
    return (x * scale + 1).mean()


TABLE = torch.arange(12.0).reshape(3, 4).sin()


def token_loss(tokens, labels):
    logits = TABLE[tokens].flatten(0, 1)
    return torch.nn.functional.cross_entropy(logits, labels.flatten(), ignore_index=-100)


def slow(x, scale):
    import time

    time.sleep(600)
    return x * scale
"""

RUN = """\
import json
import torch
import train

compiled = torch.compile(train.step, backend="eager", dynamic=False)
with open("calls.jsonl", "w") as calls:
    for length in (8, 12, 20, 8, 31, 20, 12, 9, 31, 16):
        x = torch.ones(length, 4)
        told = {"size": [length, 4], "stride": [4, 1], "dtype": "torch.float32", "device": "cpu"}
        calls.write(json.dumps({"function": "step", "file": train.__file__, "line": 4, "inputs": {"x": told, "scale": 2}}))
        calls.write("\\n")
        compiled(x, 2)
"""

UNGUARDED = """

loop = torch.compile(step, backend="eager", dynamic=False)
for length in (8, 12, 20):
    loop(torch.ones(length, 4), 2)
"""

FAILURES: list[str] = []


def check(holds: bool, what: str) -> None:
    """Notes what does not hold."""
    print(f"{'ok  ' if holds else 'FAIL'}  {what}", flush=True)
    if not holds:
        FAILURES.append(what)


def run(command: list[str], folder: Path, statuses: tuple[int, ...] = (0, 1)) -> str:
    """Runs a command; what it prints."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=1200, check=False)
    check(done.returncode in statuses, f"{' '.join(command[1:4])} ... ends with {done.returncode}")
    if done.returncode not in statuses:
        print(done.stderr)
    return done.stdout


def replay(program: str, folder: Path, *arguments: str) -> dict[str, Any]:
    """The JSON of a replay; empty if there is none."""
    common = ["--python", sys.executable, "--backend", "eager", "--repetitions", "1", "--format", "json"]
    text = run([program, "replay", *arguments, *common], folder)
    answer: dict[str, Any] = json.loads(text) if text else {"policies": []}
    return answer


def compare(answer: dict[str, Any]) -> None:
    """What was predicted of each policy, beside what was measured."""
    for policy in answer["policies"]:
        predicted, measured = policy["predicted"], policy["compiles"]
        name = policy["name"]
        if predicted["confidence"] == "exact" and not predicted["error_calls"]:
            check(predicted["compiles"] == measured, f"{name}: {predicted['compiles']} predicted, {measured} compiled")
            check(
                predicted["recompile_limit_hit"] == policy["recompile_limit_hit"],
                f"{name}: a limit is hit as predicted",
            )
        check(policy["equal"] is True, f"{name}: results equal ({policy['equal_why']})")


def check_advice(program: str, folder: Path) -> None:
    """The actions for a run, run."""
    answer = replay(
        program, folder, "--callable", "train.py:step", "--calls", "calls.jsonl", "trace",
        "--policy", "limit 3", "--policy", "buckets(x, 0, 16|32) + mark_static(x, 0)",
        "--policy", "serve(x, 0, 1..9:9|10..12:12|13..20:aligned 8|21..:eager)",
        "--policy", "buckets(x:0, x:1, 16x4|32x8) + mark_static(x, [0, 1]) + float32_matmul_precision=high",
        "--assume-no-questions",
    )  # fmt: skip
    compare(answer)
    names = [policy["name"] for policy in answer["policies"]]
    check(names[:1] == ["as-is"] and len(names) >= 5, f"policies: {', '.join(names)}")
    exact = sum(policy["predicted"]["confidence"] == "exact" for policy in answer["policies"])
    check(exact == len(names), f"{exact} of {len(names)} policies are predicted")
    # How fast it is hangs on what else runs here; how often it compiles does not.
    plans = [policy for policy in answer["policies"] if policy["plan"]]
    fewer = [policy["compiles"] < answer["policies"][0]["compiles"] for policy in plans]
    check(bool(plans) and all(fewer), f"{len(plans)} plan compiles less often than the program as it is")
    check(all(policy["verdict"] != "results_differ" for policy in plans), "the plan keeps the results")

    text = run(
        [program, "advise", "--replay", "--callable", "train.py:step", "--calls", "calls.jsonl", "trace",
         "--python", sys.executable, "--backend", "eager", "--repetitions", "1", "--format", "json"],
        folder,
    )  # fmt: skip
    advice = json.loads(text) if text else {"actions": [], "plan": {"validated": None}}
    judged = [action for action in advice["actions"] if action["policy"]]
    check(bool(judged), f"{len(judged)} actions can be run")
    check(all(action["validated"] is not None for action in judged), "each of them was")
    check(advice["plan"]["validated"] is not None, "so was the plan")


def check_import(program: str, folder: Path) -> None:
    """A script that runs its loop when it is imported: what that compiles counts in no policy."""
    (folder / "unguarded.py").write_text(TRAIN + UNGUARDED)
    answer = replay(
        program, folder, "--callable", "unguarded.py:step", "--calls", "calls.jsonl",
        "--policy", "dynamic=True", "--assume-no-questions",
    )  # fmt: skip
    compiles = [policy["compiles"] for policy in answer["policies"]]
    check(compiles == [2, 1], f"compiles beside an import that compiles: {compiles}")
    said = any("importing the program compiled 3 graphs" in gap for gap in answer.get("gaps", []))
    check(said, "the report says that the import compiled")


def check_graph(program: str, folder: Path) -> None:
    """The captured graph, with consent only."""
    run([program, "replay", "trace"], folder, statuses=(2,))
    answer = replay(program, folder, "--trust", "--function", "step", "trace")
    own = answer["policies"][:1]
    check(bool(own) and own[0]["steps_per_second"] is not None, "the captured graph runs")


def check_padding(program: str, folder: Path) -> None:
    """Padding that changes results is found out."""
    answer = replay(
        program, folder, "--callable", "train.py:wrong_when_padded", "--calls", "calls.jsonl",
        "--policy", "buckets(x, 0, 16|32)",
    )  # fmt: skip
    padded = answer["policies"][-1]
    check(padded["verdict"] == "results_differ", f"padding a mean: {padded['verdict']}, {padded['why']}")


def check_fill(program: str, folder: Path) -> None:
    """Labels that are padded with what the loss ignores, beside labels that are padded with 0."""
    with (folder / "tokens.jsonl").open("w", encoding="utf-8") as calls:
        for length in (9, 14, 20, 9, 31, 20, 27):
            told = {"size": [2, length], "dtype": "torch.int64", "device": "cpu"}
            inputs = {"tokens": told, "labels": told}
            calls.write(json.dumps({"function": "token_loss", "inputs": inputs}) + "\n")
    plan = {
        "schema": "shapewise.buckets/1",
        "boundaries": [16, 24],
        "served": [
            {"kind": "bucket", "first": 1, "last": 16},
            {"kind": "bucket", "first": 17, "last": 24},
            {"kind": "dynamic", "first": 25, "last": 40},
        ],
        "recommend": {"mode": "mixed"},
    }
    (folder / "buckets.json").write_text(json.dumps(plan), encoding="utf-8")
    common = ["--callable", "train.py:token_loss", "--calls", "tokens.jsonl", "buckets.json", "--dim", "tokens:1",
              "--dim", "labels:1", "--assume-no-questions"]  # fmt: skip
    filled = replay(program, folder, *common, "--fill", "labels=-100")
    compare(filled)
    names = [policy["name"] for policy in filled["policies"]]
    check(
        names[1:3] == ["serve(tokens:1, labels:1=-100, 1..16:16|17..24:24|25..40:dynamic)",
                       "buckets(tokens, 1, 40) + buckets(labels, 1, 40, fill=-100) + mark_static(tokens, 1) + "
                       "mark_static(labels, 1)"],
        f"policies that pad labels with -100: {', '.join(names)}",
    )  # fmt: skip
    for policy in replay(program, folder, *common)["policies"]:
        is_padded = "serve" in policy["name"] or "buckets" in policy["name"]
        told = f"labels padded with 0: {policy['name']}: {policy['verdict']}"
        check((policy["verdict"] == "results_differ") == is_padded, told)


def check_signal(program: str, folder: Path) -> None:
    """What is interrupted leaves nothing behind."""
    command = [program, "replay", "--callable", "train.py:slow", "--calls", "calls.jsonl", "--backend", "eager"]
    environment = dict(os.environ, TMPDIR=str(folder / "tmp"))
    (folder / "tmp").mkdir()
    started = subprocess.Popen([*command, "--python", sys.executable], cwd=folder, env=environment)
    time.sleep(8)
    started.send_signal(signal.SIGTERM)
    check(started.wait(timeout=60) == 2, "interrupted, it ends with 2")
    left = [path.name for path in (folder / "tmp").glob("shapewise-replay-*")]
    check(not left, f"no folder is left behind ({', '.join(left) or 'none'})")


def main() -> int:
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "train.py").write_text(TRAIN)
        (folder / "run.py").write_text(RUN)
        environment = dict(os.environ, TORCH_TRACE=str(folder / "trace"))
        subprocess.run([sys.executable, "run.py"], cwd=folder, env=environment, check=True, capture_output=True)
        check_advice(program, folder)
        check_import(program, folder)
        check_graph(program, folder)
        check_padding(program, folder)
        check_fill(program, folder)
        check_signal(program, folder)
    print(f"{len(FAILURES)} of the checks failed" if FAILURES else "all checks hold")
    return 1 if FAILURES else 0


if __name__ == "__main__":
    sys.exit(main())
