#!/usr/bin/env python3
"""Replays every captured run with recorded calls, and holds the predictions against its truth.

    tests/tools/check_backtest.py PROGRAM CAPTURES ... [--min SHARE] [--verbose]

CAPTURES are folders of captures; those that are not there are passed over. Each capture has a `truth.json` whose `calls` the program itself wrote, and `frames`, which the
process counted at its exit. This turns the calls into call records (analyzer/docs/call-records.md),
runs `shapewise predict --log LOG --calls RECORDS --format json`, and compares the predicted compiles
of every frame with `compiled_ok`. What the calls note in words ("hook removed") is no record and is
left out: what matters of it has to come out of the log. Frames whose calls depend on data (they
resume behind `.item()`, a branch on a tensor, nonzero) are told apart: their shares are not bound.
Every frame that is wrong or not predicted is printed with the reason. Exit status: 0 the share of
right frames is high enough, both among all that the log contains and among those that a recorded
call names; 1 it is not, 2 there is nothing to check or it can't be run.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]

# Keys of a call that are no arguments: what the author noted, and what else held.
NOTES = {"fn", "changed", "note", "rank"}
STANCES = {
    "default",
    "force_eager",
    "eager_on_recompile",
    "fail_on_recompile",
    "eager_then_compile",
    "aot_eager_then_compile",
}


def parameters_of(program: Path, function: str) -> list[str] | None:
    """The parameters of `function` ("step", "Mixer.forward") as the program declares them."""
    *owners, name = function.split(".")
    for node in ast.walk(ast.parse(program.read_text())):
        is_class = isinstance(node, ast.ClassDef) and bool(owners) and node.name == owners[-1]
        is_module = isinstance(node, ast.Module) and not owners
        if not isinstance(node, ast.ClassDef | ast.Module) or not (is_class or is_module):
            continue
        for item in node.body:
            if isinstance(item, ast.FunctionDef) and item.name == name:
                names = [argument.arg for argument in item.args.args + item.args.kwonlyargs]
                return names[1:] if owners else names
    return None


def is_sizes(value: object) -> bool:
    return isinstance(value, list) and all(type(item) is int for item in value)


def value_of(value: object) -> object:
    """What a call record holds for one recorded value."""
    if isinstance(value, list):
        if is_sizes(value):
            return {"size": value}
        return {"list": [value_of(item) for item in value]}
    if isinstance(value, tuple):
        return {"tuple": [value_of(item) for item in value]}
    if isinstance(value, dict):
        return {"dict": {str(key): value_of(item) for key, item in value.items()}}
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        try:
            literal = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            return {"opaque": value}
        return literal if isinstance(literal, str) else value_of(literal)
    return {"opaque": repr(value)}


def containers_of(call: Json, parameters: list[str]) -> dict[str, object]:
    """Lists of which a call holds the length, and perhaps the shapes: "n_chunks", "chunk_shapes"."""
    found: dict[str, object] = {}
    for parameter in parameters:
        if parameter in call or f"n_{parameter}" not in call:
            continue
        shapes = next(
            (
                value
                for key, value in call.items()
                if key.endswith("_shapes") and parameter.startswith(key.removesuffix("_shapes"))
            ),
            None,
        )
        length = call[f"n_{parameter}"]
        items = [value_of(shape) for shape in shapes] if shapes else [{"unknown": True}] * length
        found[parameter] = {"list": items}
    return found


def tensor_of(call: Json, name: str) -> Json:
    """A tensor with what the call holds of its layout, dtype and class."""
    tensor: Json = {"size": call[name]}
    for key, suffix in (("stride", "stride"), ("dtype", "dtype"), ("type", "type")):
        if f"{name}_{suffix}" in call:
            tensor[key] = call[f"{name}_{suffix}"]
    return tensor


def inputs_of(call: Json, parameters: list[str] | None) -> dict[str, object]:
    names = parameters
    if names is None:
        names = [key for key, value in call.items() if key not in NOTES and is_sizes(value)]
    inputs: dict[str, object] = dict(containers_of(call, names))
    for name in names:
        if name == "fn" or name not in call:
            continue
        inputs[name] = tensor_of(call, name) if is_sizes(call[name]) else value_of(call[name])
    # mark_dynamic(x, 0, min=.., max=..) on the first tensor.
    mark = call.get("mark")
    first = next((value for value in inputs.values() if isinstance(value, dict)), None)
    if isinstance(mark, dict) and first is not None:
        first["marks"] = [{"dim": 0, "kind": "dynamic", **mark}]
    return {name: inputs[name] for name in names if name in inputs}


def records_of(calls: list[Json], program: Path) -> list[Json]:
    """The call records of one process."""
    records = []
    regions: dict[str, int] = {}
    for call in calls:
        record: Json = {
            "function": call["fn"],
            "inputs": inputs_of(call, parameters_of(program, call["fn"])),
        }
        if "rank" in call:
            record["rank"] = call["rank"]
        if "region" in call:
            record["wrapper"] = regions.setdefault(call["region"], len(regions))
        if call.get("stance") in STANCES:
            record["stance"] = call["stance"]
        if "no_grad" in str(call.get("mode", "")):
            record["grad"] = "off"
        records.append(record)
    return records


# Types of graph breaks behind which calls depend on data.
DATA_BREAKS = ("Tensor.item", "ata-dependent", "dynamic shape operator", "nonzero")


@dataclass
class Frame:
    """One code object: what the process counted, beside what is predicted."""

    capture: str
    rank: int
    name: str
    numbers: list[str]
    truth: int
    attempts: int  # compile ids, each as often as its count began again
    predicted: int | None = None
    why: str = "the log does not contain it"
    verdict: str = "absent"
    is_called: bool = False
    is_data_dependent: bool = False

    @property
    def is_right(self) -> bool:
        return self.predicted == self.truth


@dataclass
class Tally:
    """Frames of one sort."""

    frames: list[Frame] = field(default_factory=list)

    @property
    def predicted(self) -> list[Frame]:
        return [frame for frame in self.frames if frame.predicted is not None]

    @property
    def told(self) -> list[Frame]:
        return [frame for frame in self.frames if frame.verdict != "absent"]

    @property
    def right(self) -> int:
        return sum(frame.is_right for frame in self.frames)

    def text(self, what: str) -> str:
        return (
            f"{what}: {len(self.frames)} frames, {len(self.told)} told of, "
            f"{len(self.predicted)} predicted, {self.right} right"
        )


def frame_number(compile_id: str) -> str:
    """ "0" of "0/1_2"."""
    return compile_id.split("_")[0].rpartition("/")[0]


def last_name(function: str) -> str:
    return function.rpartition(".")[2]


def run_json(command: list[str]) -> Json:
    run = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if run.returncode not in (0, 1) or not run.stdout:
        raise RuntimeError(f"{' '.join(command)}: exit status {run.returncode}: {run.stderr}")
    result: Json = json.loads(run.stdout)
    return result


def inputs_in(capture: Path) -> list[str]:
    """Traces where there are some, else the log."""
    traces = sorted(capture.glob("trace/*")) + sorted(capture.glob("dedicated_log_*"))
    return [str(path) for path in traces] or [str(capture / "log.txt")]


def data_dependent_lines(program: str, inputs: list[str]) -> set[int]:
    """Lines at which a graph break makes what follows depend on data."""
    result = run_json([program, "lint", "--format", "json", "--events", "--exit-zero", *inputs])
    return {
        event["user_line"]
        for event in result["events"]
        if event["kind"] == "graph_break"
        and event.get("user_line") is not None
        and any(word in (event.get("type") or "") for word in DATA_BREAKS)
    }


def attempts_of(row: Json) -> int:
    """How often the log contains an attempt to compile this."""
    logged = row["back_test"]["logged"]
    return sum(logged[key] or 0 for key in ("compiles", "failures", "limit_hits"))


def predict(frame: Frame, rows: list[Json]) -> None:
    """Fills in what the rows of the back-test say of `frame`; resets make several of one frame."""
    mine = [row for row in rows if (row["rank"] or 0) == frame.rank]
    numbered = [row for row in mine if row["frame"] in frame.numbers]
    named = [row for row in mine if last_name(row["where"]["function"] or "") == frame.name]
    exact = [row for row in numbered if row in named]
    fitting = exact or [row for row in numbered if not row["where"]["function"]]
    if not fitting:
        fitting = [row for row in named if row["frame"] is None]
    if not fitting:
        return
    told = {row["frame"] for row in fitting if row["frame"] is not None}
    if told and len(told) < len(frame.numbers):
        frame.why = f"the log contains {len(told)} of its {len(frame.numbers)} code objects"
        return
    if any("two processes" in (row["back_test"]["assumed"] or "") for row in fitting):
        # The truth is of one of them: the one that logged as much as it counted.
        fitting = [row for row in fitting if attempts_of(row) == frame.attempts]
        if len(fitting) != 1:
            frame.verdict = "unmodelled"
            frame.why = "the log is that of two processes, which its compiles do not tell apart"
            return
    counts = [row["back_test"]["predicted"]["compiles"] for row in fitting]
    frame.verdict = fitting[0]["back_test"]["verdict"]
    reasons = [row["back_test"]["why"] or row["back_test"]["assumed"] for row in fitting]
    frame.why = "; ".join(dict.fromkeys(reason for reason in reasons if reason))
    if None not in counts:
        frame.predicted = sum(counts)


def check(program: str, capture: Path, work: Path) -> list[Frame]:
    truth: Json = json.loads((capture / "truth.json").read_text())
    processes: dict[str, Json] = truth.get("processes") or {"rank0": truth}
    calls = [call for process in processes.values() for call in process.get("calls", [])]
    if not calls:
        return []
    frames = [
        Frame(
            capture=capture.name,
            rank=int(process.removeprefix("rank")),
            name=frame["name"],
            numbers=sorted({frame_number(name) for name in frame["compile_ids"]}),
            truth=frame["compiled_ok"],
            attempts=len(frame["compile_ids"]),
        )
        for process, counted in processes.items()
        for frame in counted.get("frames", [])
    ]
    if not frames:
        return []
    records = work / f"{capture.name}.jsonl"
    lines = [json.dumps(record) + "\n" for record in records_of(calls, capture / "program.py")]
    records.write_text("".join(lines))
    inputs = inputs_in(capture)
    command = [program, "predict", "--format", "json", "--exit-zero", "--calls", str(records)]
    for name in inputs:
        command += ["--log", name]
    rows = run_json(command)["functions"]
    lines_of_data = data_dependent_lines(program, inputs)
    called = {(call.get("rank", 0), last_name(call["fn"])) for call in calls}
    for frame in frames:
        predict(frame, rows)
        frame.is_called = (frame.rank, frame.name) in called
        resumed = re.fullmatch(r"torch_dynamo_resume_in_.*_at_(\d+)", frame.name)
        frame.is_data_dependent = resumed is not None and int(resumed[1]) in lines_of_data
    return frames


def main() -> int:
    parser = argparse.ArgumentParser(description="Back-test over captures with recorded calls")
    parser.add_argument("program")
    parser.add_argument("captures", nargs="+", type=Path)
    parser.add_argument("--min", type=float, default=0.95, dest="least")
    parser.add_argument("--verbose", action="store_true", help="print every frame")
    arguments = parser.parse_args()

    frames: list[Frame] = []
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as work:
        for folder in arguments.captures:
            for truth in sorted(folder.glob("*/truth.json")) if folder.is_dir() else []:
                if truth.parent.name in seen:
                    continue
                seen.add(truth.parent.name)
                try:
                    frames += check(arguments.program, truth.parent, Path(work))
                except (RuntimeError, subprocess.TimeoutExpired) as error:
                    print(f"{truth.parent.name}: {error}", file=sys.stderr)
                    return 2
    if not frames:
        print("no capture with recorded calls", file=sys.stderr)
        return 2

    for frame in frames:
        if frame.is_right and not arguments.verbose:
            continue
        sort = "data-dependent " if frame.is_data_dependent else ""
        print(
            f"{frame.capture} {'+'.join(frame.numbers)} {frame.name}: {sort}predicted {frame.predicted}, "
            f"truth {frame.truth} ({frame.verdict}): {frame.why}"
        )
    bound = Tally([frame for frame in frames if not frame.is_data_dependent])
    called = Tally([frame for frame in bound.frames if frame.is_called])
    loose = Tally([frame for frame in frames if frame.is_data_dependent])
    print(bound.text("not data-dependent"))
    print(called.text("of them with recorded calls"))
    print(loose.text("data-dependent"))
    told = Tally(bound.told)
    share = told.right / len(told.frames) if told.frames else 0
    print(f"right among those told of: {share:.3f}")
    called_share = called.right / len(called.frames) if called.frames else 0
    print(f"right among those with recorded calls: {called_share:.3f}")
    return 0 if min(share, called_share) >= arguments.least else 1


if __name__ == "__main__":
    sys.exit(main())
