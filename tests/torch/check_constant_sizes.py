#!/usr/bin/env python3
"""What lint and advise say about sizes that vary and are constants all the same, against PyTorch itself.

    tests/torch/check_constant_sizes.py PROGRAM [CASE ...]

Each case is a program whose function is compiled for each size: because its code needs the value of the size, because a
setting keeps it constant, or because two tensors have the same size. Its trace must say which, and name the line of the code
(marked `# here`). The first action of advise must be the one that lint prints; it and every other action that can be put in
place must have the predicted effect. A text log of the same program shows no reason, so nothing may be predicted from
it but padding. Exit status: 0 held, 1 did not, 77 torch is not there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apply_action import NotApplicable, apply
from check_advice import SKIPPED, advise, run
from sampling import sampled

HEAD = "import torch\n\n"
CALLS = "for n in (3, 4, 6, 5, 9, 7, 8, 10, 12, 11):\n"
ONE_CALL = "    x = torch.randn(n, 4)\n    step(x)\n"


@dataclass(frozen=True)
class Case:
    """A program, and what makes its sizes constants."""

    name: str
    body: str  # of step(x), or the whole function
    by: str  # "code", "setting", "nothing"
    without: str = ""  # the body as the action on code wants it
    call: str = ONE_CALL
    options: str = ""  # of torch.compile
    head: str = ""

    def source(self, body: str) -> str:
        function = body if body.startswith("def ") else f"def step(x):\n    {body}\n"
        return f'{HEAD}{self.head}@torch.compile(backend="eager"{self.options})\n{function}\n\n{CALLS}{self.call}'


PAIR = "    q = torch.randn(2, n, 4)\n    k = torch.randn(2, n, 4)\n    step(q, k)\n"
ATTEND = "def step(q, k):\n    return (q @ k.transpose(-1, -2)).softmax(-1)\n"
TRIPLE = "    q = torch.randn(n, 4)\n    k = torch.randn(n, 4)\n    v = torch.randn(n, 4)\n    step(q, k, v)\n"
WIDE = "    x = torch.randn(4, n)\n    step(x)\n"
CASES = [
    Case("fstring", 'return x + len(f"{x.shape[0]}")  # here', "code", "return x + 1"),
    Case("format", 'return x + len("{}".format(x.shape[0]))  # here', "code", "return x + 1"),
    Case("loop", "return sum(row.sum() for row in x)  # here", "code", "return x.sum()"),
    Case("range", "return sum(x[i].sum() for i in range(x.shape[0]))  # here", "code", "return x.sum()"),
    Case("list", "return torch.tensor([0] * x.shape[0])[:, None] + x  # here", "code", "return x + 0"),
    Case("unbind", "return torch.stack(x.unbind(0)).sum()  # here", "code", "return x.sum()"),
    Case("table", "return x * TABLE[x.shape[0]]  # here", "code", "return x * 2", head="TABLE = {n: 2 for n in range(20)}\n"),
    Case("table_of_widths", "return x @ torch.ones(WIDTHS[x.shape[1]], 2)  # here", "code", "return x * 2", call=WIDE, head="WIDTHS = {n: n for n in range(20)}\n"),
    Case("reshape", "return x.reshape(SHAPES[x.shape[0]], 2, 2)  # here", "code", "return x.reshape(-1, 2, 2)", head="SHAPES = {n: n for n in range(20)}\n"),
    Case("set", "return x * (2 if x.shape[0] in {3, 5} else 3)  # here", "code", "return x * 2"),
    Case("static", "return x * 2", "setting", options=", dynamic=False"),
    Case("static_wide", "return x.sum(1)", "setting", options=", dynamic=False", call=WIDE),
    Case("marked_static", "return x * 2", "setting", call="    x = torch.randn(n, 4)\n    torch._dynamo.mark_static(x, 0)\n    step(x)\n"),
    Case("switched_off", "return x * 2", "setting", head="torch._dynamo.config.automatic_dynamic_shapes = False\n"),
    Case("pair", ATTEND, "setting", options=", dynamic=False", call=PAIR),
    Case("triple", "def step(q, k, v):\n    return q * k + v\n", "setting", options=", dynamic=False", call=TRIPLE),
    Case("dynamic_pair", ATTEND, "nothing", call=PAIR),
    Case("two_dims", "return x * 2", "nothing", call="    x = torch.randn(n, 30 - n // 4)\n    step(x)\n"),
]


def count(outcome: dict[str, int] | str) -> int | str:
    """How often `step` was compiled, or why that is not known."""
    if isinstance(outcome, str):
        return outcome
    return sum(number for name, number in outcome.items() if name.startswith("step:"))


def lint(program: str, log: Path) -> list[dict[str, Any]]:
    """The findings about a log."""
    done = subprocess.run([program, "lint", "--format", "json", "--exit-zero", str(log)], capture_output=True, text=True, check=True)
    findings: list[dict[str, Any]] = json.loads(done.stdout)["findings"]
    return findings


def effect(case: Case, action: dict[str, Any], before: int) -> str:
    """What is wrong with an action that is put in place; empty: nothing."""
    # The text names a place, and the padding is the code before each call.
    known = action | ({"paste": "before_call"} if action["kind"] == "bucket" else {})
    try:
        edited = apply(case.source(case.body), known)
    except NotApplicable:
        return ""
    after = count(run(edited.source, "program.py", edited.variables))
    if isinstance(after, str):
        return f"{action['text']} {after}"
    predicted = action["predicted"]
    if predicted is None:
        return f"{action['text']} {before} compiles, then {after}" if after > before else ""
    [expected] = [function["after"] for function in predicted["functions"]]
    return "" if after == expected else f"{action['text']} {expected} compiles predicted, {after} measured"


def wrong_in_trace(case: Case, program: str, folder: Path) -> list[str]:
    """What is wrong with the advice on a trace."""
    before = count(run(case.source(case.body), "program.py", {"TORCH_TRACE": str(folder)}))
    if isinstance(before, str):
        return [before]
    findings = [finding for finding in lint(program, folder) if finding["advice"]]
    actions = advise(program, folder)
    if not findings or not actions:
        return ["no finding or no action"]
    first = findings[0]["advice"][0]
    if (first["kind"], first["text"], first["code"]) != tuple(actions[0][key] for key in ("kind", "text", "code")):
        return [f"lint: {first['text']} advise: {actions[0]['text']}"]
    if case.by == "code":
        line = case.source(case.body).split("# here")[0].count("\n") + 1
        if not re.search(rf"program\.py:{line}\b", first["text"]):
            return [f"line {line} is not named: {first['text']}"]
        after = count(run(case.source(case.without), "program.py", {}))
        if not isinstance(after, int) or after > 2:
            return [f"without the line: {after} compiles of {before}"]
    elif (case.by == "setting") != ("without dynamic=False" in first["text"]):
        return [f"first action: {first['text']}"]
    wrong = [effect(case, action, before) for action in actions]
    return [each for each in wrong if each]


def wrong_in_text(case: Case, program: str, log: Path) -> list[str]:
    """What is wrong with the advice on a log that only shows recompiles."""
    before = count(run(case.source(case.body), "program.py", {"TORCH_LOGS": "recompiles", "TORCH_LOGS_OUT": str(log)}))
    if isinstance(before, str):
        return [before]
    actions = advise(program, log)
    if not actions:
        return ["no action"]
    wrong = []
    if case.by != "nothing":
        first = actions[0]["text"]
        if "dynamic=False" not in first or "names the line that needs its value" not in first:
            wrong.append(f"first action: {first}")
        wrong += [f"predicted: {action['text']}" for action in actions if action["predicted"] and action["kind"] != "bucket"]
    # Such a log names one of several tensors with the same size; the caveat says that the others need the padding, too.
    padding = [action for action in actions if action["kind"] == "bucket" and case.call.count("torch.randn") == 1]
    return wrong + [each for each in (effect(case, action, before) for action in padding) if each]


def check(case: Case, program: str) -> list[str]:
    """What is wrong with the advice for a case."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace"
        trace.mkdir()
        return [
            *(f"trace: {each}" for each in wrong_in_trace(case, program, trace)),
            *(f"text: {each}" for each in wrong_in_text(case, program, Path(scratch) / "run.log")),
        ]


def main() -> int:
    try:
        import torch  # noqa: F401
    except ImportError:
        return SKIPPED
    program, *names = sys.argv[1:]
    cases = [case for case in CASES if case.name in names] if names else sampled(CASES)
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for case, wrong in zip(cases, pool.map(lambda case: check(case, program), cases), strict=True):
            failed += bool(wrong)
            print(f"{case.name}: {'; '.join(wrong) or 'right'}", flush=True)
    print(f"{len(cases) - failed} of {len(cases)} right")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
