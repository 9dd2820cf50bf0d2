"""No name of a run or of code leaves a redacted output, whatever the command and the format.

Usage: check_redaction.py PROGRAM CORPORA

Captured logs, traces and dumps get names that occur nowhere else: each name of the user that is found
in them (paths, functions, sources, code) is given the start "qzvx". So are all names in call records,
scenarios, and in what a program that replays them answers. Every command runs with --redact in every
format it has; "qzvx" must not be in what it prints, nor in unpacked partials. Findings and predictions
must have the numbers of the run that is told openly.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import gzip
import json
import keyword
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

MARK = "qzvx"  # in no word of English, Python, PyTorch, or of minified scripts

RUNS = (
    "captured/2.13.0/222-limit-cache/log.txt",
    "captured/2.13.0/251-ranks-lengths/trace",
    "captured/2.13.0/261-guards-trace/trace",
)
MINIMAL_STEP = 12  # every so many of the small logs
DUMPS_STEP = 9

# Names of PyTorch and Python; they reveal nothing about a program that uses them.
OWN = {
    *keyword.kwlist,
    *("self", "cls", "forward", "module", "training", "data", "weight", "torch", "lambda", "inner"),
    *("wrapper", "print", "item", "size", "shape", "lib", "usr", "local", "python3", "py", "log"),
    *("root", "string", "name", "function", "layer_idx", "idx", "index", "__init__", "__call__"),
    *("_modules", "_parameters", "_buffers", "app", "range", "len", "list", "dict", "type", "mode"),
    *("method", "step", "tmp", "functional", "call", "x", "file", "line", "srv", "m"),
}
PATH = re.compile(r"(?<![\w/.])((?:/[\w.+-]+)+)\.py\b")
FUNCTION = re.compile(
    r"(?:Recompiling function |torch_dynamo_resume_in_|, in |\"name\": \"|\"co_name\": \")"
    r"([A-Za-z_]\w*?)(?=_at_\d|\b)"
)
SOURCE = re.compile(r"[LG]\[\\*['\"](\w+)\\*['\"]\]((?:\.\w+|\[\d+\])*)")
CODE_LINE = re.compile(r"(File \\?\"[^\"]*\", line \d+, in \S+(?:\n|\\n)\s+)([^\n\\]+)")
COMMENT = re.compile(r"( {2,}# )([^#\n\\]+)(?=  # )")
WORD = re.compile(r"[A-Za-z_]\w*")


def names_in(text: str) -> set[str]:
    """The names of the user, as far as they can be told from PyTorch's."""
    names: set[str] = set()
    for path in PATH.findall(text):
        if "site-packages" not in path and "/torch/" not in path and "/lib/python" not in path:
            names.update(part for part in path.split("/") if part)
    names.update(FUNCTION.findall(text))
    for name, attributes in SOURCE.findall(text):
        names.add(name)
        names.update(WORD.findall(attributes))
    return {
        name
        for name in names
        if len(name) > 1 and name not in OWN and not name.startswith(("_", "torch"))
    }


def planted(text: str) -> str:
    """`text` with the mark before each name of the user, and before each word of a line of code."""
    text = CODE_LINE.sub(lambda match: match[1] + marked(match[2]), text)
    text = COMMENT.sub(lambda match: match[1] + marked(match[2]), text)
    for name in sorted(names_in(text)):
        text = re.sub(rf"(?<![\w.-])(?<!torch\.){re.escape(name)}(?![\w-])", MARK + name, text)
        text = re.sub(rf"(?<=\.){re.escape(name)}(?=[.\[\s)'\"])", MARK + name, text)
        text = text.replace(f"_resume_in_{name}_at", f"_resume_in_{MARK}{name}_at")
    return text


def marked(code: str) -> str:
    """A line of code in which every word has the mark."""
    return WORD.sub(lambda match: match[0] if match[0].startswith(MARK) else MARK + match[0], code)


def plant(source: Path, target: Path) -> None:
    """Copies a file or a folder, with marks in its texts."""
    if source.is_dir():
        for path in sorted(source.rglob("*")):
            if path.is_file():
                plant(path, target / path.relative_to(source))
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    packed = source.suffix == ".gz"
    content = gzip.decompress(source.read_bytes()) if packed else source.read_bytes()
    try:
        content = planted(content.decode()).encode()
    except UnicodeDecodeError:
        pass
    target.write_bytes(gzip.compress(content) if packed else content)


class Checker:
    """Runs commands and looks at what they print."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.outputs = 0

    def run(self, *arguments: str, may_be_silent: bool = False) -> str:
        """What a command prints."""
        done = subprocess.run(
            [self.program, *arguments], cwd=self.folder, capture_output=True, check=False
        )
        output = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
        has_output = bool(output) or may_be_silent
        assert done.returncode in (0, 1, 2) and has_output, f"{arguments}: {done.returncode} {output}"
        return output

    def look(self, *arguments: str, may_be_silent: bool = False) -> str:
        """The same, without a mark in it."""
        output = self.run(*arguments, may_be_silent=may_be_silent)
        leaks = re.findall(rf".{{0,60}}{MARK}.{{0,30}}", output)
        assert not leaks, f"{' '.join(arguments)}: {leaks[:5]}"
        self.outputs += 1
        return output

    def choices(self, command: str, option: str) -> list[str]:
        """The words that an option takes."""
        manual = self.run(command, "--help")
        words = re.search(rf"{option}[ =]([a-z0-9-]+(?:\|[a-z0-9-]+)+)", manual)
        words = words or re.search(rf"{option}[^{{\n]*\{{([^}}]*)\}}", manual)
        assert words, f"{command}: no choices of {option} in its manual\n{manual}"
        return re.split(r"[|,]", words[1])

    def look_at_all(self, command: str, *arguments: str) -> None:
        """Every format of a command."""
        for form in self.choices(command, "--format"):
            self.look(command, "--redact", "--format", form, *arguments)


def numbers(finding: dict[str, Any]) -> tuple[Any, ...]:
    """What of a finding names nothing."""
    return (
        *(finding[name] for name in ("rule", "severity", "count", "cost_seconds", "ranks")),
        *(finding["events"], finding["where"]["line"], finding["user"]["line"]),
        *(finding["pattern"], len(finding["values"]), len(finding["advice"])),
    )


def check_run(checker: Checker, name: str) -> None:
    """lint of one run: all formats, numbers, determinism."""
    marked_run = checker.run("lint", "--format", "json", "--events", name)
    if '"events"' not in marked_run:
        checker.look("lint", "--redact", name)  # nothing is recognised in it
        return
    redacted = checker.look("lint", "--redact", "--format", "json", "--events", name)
    assert redacted == checker.look("lint", "--redact", "--format", "json", "--events", name)
    open_findings = [numbers(each) for each in json.loads(json_in(marked_run))["findings"]]
    findings = [numbers(each) for each in json.loads(json_in(redacted))["findings"]]
    assert sorted(findings, key=str) == sorted(open_findings, key=str), name
    checker.look("lint", "--redact", "--redact-key", "k", "--all", "--explain", name)


def unpacked(path: Path) -> bytes:
    """What a partial holds."""
    library = ctypes.CDLL(ctypes.util.find_library("zstd") or "libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    packed = path.read_bytes()
    buffer = ctypes.create_string_buffer(64 << 20)
    size = library.ZSTD_decompress(buffer, len(buffer), packed, len(packed))
    assert not library.ZSTD_isError(ctypes.c_size_t(size)), path
    return buffer.raw[:size]


def call_records() -> str:
    """Calls in which every text that a recorder may write is marked."""
    place = {"function": f"{MARK}Net.{MARK}encode", "file": f"/home/{MARK}ann/{MARK}model.py", "line": 7}
    other = {"function": f"{MARK}decode", "file": f"{MARK}model.py", "line": 30}
    lines: list[dict[str, Any]] = [{"schema": "shapewise.calls/1"}]
    policy = {"dynamic_sources": f"L['{MARK}tokens']", "config": {f"{MARK}option": True}}
    for n in (33, 17, 60, 17, 90, 200, 77, 45, 101, 64, 64):
        tensor = {"size": [8, n], "dtype": "float32", "device": "cpu", "type": f"{MARK}Tensor"}
        inputs = {
            f"{MARK}x": tensor,
            "self": {"opaque": f"the first {MARK}Net"},
            f"self.{MARK}cache": {"list": [{"size": [n, 4]}, {"dict": {f"{MARK}key": 1}}]},
            f"{MARK}mode": f"{MARK}train {MARK}fast",
            f"L['{MARK}kwargs']": {"dict": {f"{MARK}a": 2.5, "plain": {"opaque": f"<{MARK}thing>"}}},
        }
        lines.append({**place, "state": f"autocast={MARK}16, threads={n % 2}", "inputs": inputs})
        lines.append({**other, "inputs": {f"{MARK}tokens": {"size": [n]}}, "policy": policy})
    lines.append({"function": f"{MARK}loader", "compiled": False, "inputs": {f"{MARK}ids": {"size": [3, 5]}}})
    texts = [json.dumps(line) for line in lines]
    texts.insert(3, f'{{"function": "{MARK}encode", "inputs": {{"{MARK}x": {{"size": ["{MARK}"]}}}}}}')
    texts.insert(5, f"{MARK}damage {{")
    return "\n".join(texts) + "\n"


def scenarios() -> str:
    """Scenarios, one of them damaged, all of them marked."""
    calls = [{"args": [{"k": "T", "shape": [n, 3]}, {"k": "str", "v": f"{MARK}text"}]} for n in (4, 6, 5, 8)]
    base = {"fn": f"{MARK}route", "category": "free", "argnames": [f"{MARK}x", f"{MARK}mode"], "calls": calls}
    rows = [
        {**base, "id": f"{MARK}six", "policy": {"dynamic": None}},
        {**base, "id": f"{MARK}none", "category": "unheard of", "policy": {"dynamic": None}},
        {**base, "id": f"{MARK}odd", "policy": {f"{MARK}option": f"{MARK}value"}},
        {**base, "id": f"{MARK}bad", "calls": [{"args": [{"k": f"{MARK}T"}]}]},
    ]
    return "\n".join(json.dumps(row) for row in rows) + "\n"


def check_predictions(checker: Checker, trace: str) -> None:
    """predict, over records, lengths, scenarios, and a log beside records."""
    folder = checker.folder / f"{MARK}calls"
    folder.mkdir()
    calls = folder / f"{MARK}calls.jsonl"
    calls.write_text(call_records(), encoding="utf-8")
    policies = (
        *("--policy", f"mark_dynamic({MARK}x, 1)", "--policy", f"dynamic_sources=L['{MARK}tokens']"),
        *("--policy", f"buckets({MARK}x, 1, 64|128|256) + mark_static({MARK}x, 1)"),
        *("--policy", f"serve({MARK}x:1, self.{MARK}cache[0]:0=-1, 1..64:64|65..:dynamic)"),
        *("--policy", f"mark_dynamic({MARK}tokens, 0, max=64) + limit 2"),
    )
    asked = ("--calls", str(calls), "--assume-no-questions", *policies)
    checker.look_at_all("predict", *asked)
    checker.look("predict", "--redact", "--compare", "--all", *asked)
    checker.look("predict", "--redact", "--redact-key", "k", *asked)
    checker.look("predict", "--redact", "--function", f"{MARK}decode", *asked)
    checker.look_at_all("predict", "--calls", str(calls))
    same_predictions(checker, 2, *asked)
    # With a trace, whose function has another name than that of the records.
    beside = ("--log", trace, "--body", trace)
    checker.look_at_all("predict", *beside, *asked)
    same_predictions(checker, 3, *beside, *asked)
    wrong = checker.look("predict", "--redact", *asked, "--policy", f"mark_dynamic({MARK}unheard, 0)")
    assert "takes a tensor" in wrong, wrong
    missing = checker.look("predict", "--redact", "--calls", f"{MARK}none.jsonl")
    assert "error" in missing, missing

    lengths = folder / f"{MARK}lengths.txt"
    lengths.write_text("17\n33\n12\n80\n12\n", encoding="utf-8")
    of_lengths = (str(lengths), "--lengths", f"{MARK}x[8,*]", "--assume-no-questions")
    checker.look_at_all("predict", *of_lengths, "--policy", f"mark_dynamic({MARK}x, 1)")
    told = folder / f"{MARK}scenarios.jsonl"
    told.write_text(scenarios(), encoding="utf-8")
    checker.look_at_all("predict", str(told))
    checker.look("predict", "--redact", "--body", trace, str(told))
    same_scenarios(checker, str(told))
    log = checker.look("predict", "--redact", "--body", str(lengths), str(told))
    assert "--body takes a trace" in log, log

    checker.look_at_all("advise", "--calls", str(calls), trace)
    page = checker.look("report", "--redact", str(calls), trace)
    assert "name" in page
    checker.look("report", "--redact", str(folder))
    checker.look_at_all("buckets", str(calls), "--source", f"{MARK}x:1", "--buckets", "3")


def same_predictions(checker: Checker, functions: int, *asked: str) -> None:
    """Nothing but names differs, told openly or not."""
    open_answer = json.loads(json_in(checker.run("predict", "--format", "json", *asked)))
    answer = json.loads(json_in(checker.look("predict", "--redact", "--format", "json", *asked)))
    assert len(answer["functions"]) >= functions, answer["functions"]
    for told, redacted in zip(open_answer["functions"], answer["functions"], strict=True):
        for members in ("where", "back_test"):
            told.pop(members), redacted.pop(members)
        assert [numbers_of(each) for each in told.pop("policies")] == [
            numbers_of(each) for each in redacted.pop("policies")
        ]
        told.pop("unmodelled"), redacted.pop("unmodelled")
        assert told == redacted, (told, redacted)
    assert [each["totals"] for each in open_answer["policies"]] == [
        each["totals"] for each in answer["policies"]
    ]


def same_scenarios(checker: Checker, path: str) -> None:
    """The same of scenarios."""
    answers = [
        json.loads(json_in(text))
        for text in (
            checker.run("predict", "--format", "json", path),
            checker.look("predict", "--redact", "--format", "json", path),
        )
    ]
    for answer in answers:
        for each in answer["scenarios"]:
            each.pop("id"), each.pop("why")
    assert answers[0]["scenarios"] == answers[1]["scenarios"]
    assert len(answers[0]["scenarios"]) == 4 and any(each["calls"] for each in answers[0]["scenarios"])


def json_in(text: str) -> str:
    """What stands on stdout, of both outputs together."""
    return text[: text.rindex("\n}") + 2]


def numbers_of(outcome: dict[str, Any]) -> dict[str, Any]:
    """What of a predicted policy names nothing."""
    named = ("policy", "why", "traps", "not_applicable")
    told = {name: value for name, value in outcome.items() if name not in named}
    return {**told, "traps": len(outcome["traps"]), "applies": outcome["not_applicable"] is None}


# What a replay starts: it answers the job, and says marked words wherever it can say any.
ANSWERS = f'''\
import json, sys

print("{MARK}stderr {MARK}noise", file=sys.stderr, flush=True)
if sys.argv[1] == "--serve":
    print(json.dumps({{"ready": {{"device": "cpu", "torch": "2.13.0"}}}}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)["time"]
        size = next(iter(asked.values()))
        answer = {{"time": asked, "seconds": size * 1e-3, "iqr": 1e-5, "runs": 9,
                  "dynamic_error": "{MARK}Error: no {MARK}dynamic graph"}}
        if size > 150:
            answer = {{"time": asked, "error": "{MARK}Error: too large for {MARK}x"}}
        print(json.dumps(answer), flush=True)
    sys.exit()
print("{MARK}stdout {MARK}noise")
with open(sys.argv[1]) as job:
    names = [policy["name"] for policy in json.load(job)["policies"]]
policies = []
for number, name in enumerate(names):
    policy = {{"name": name, "steps": 20, "steps_per_second": 10.0 + number, "compiles": 2,
              "steps_per_second_interval": [9.9 + number, 10.1 + number], "compile_seconds": 1.0,
              "equal": number != 1, "max_abs_error": 0.5,
              "equal_why": "{MARK}out differs at {MARK}key"}}
    if number == 2:
        policy = {{"name": name, "error": "{MARK}Error in {MARK}x: no such {MARK}thing"}}
    policies.append(policy)
with open(sys.argv[3], "w") as out:
    json.dump({{"schema": "shapewise.replay/1", "device": "cpu", "torch": "2.13.0",
               "gaps": ["{MARK}gap of {MARK}x"], "policies": policies}}, out)
'''


def check_replays(checker: Checker, trace: str) -> None:
    """replay: what its program says, and what is predicted beside it."""
    package = checker.folder / f"{MARK}package"
    for name, text in (("torch", ""), ("shapewise/__init__", ""), ("shapewise/replay/__init__", "")):
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    (package / "shapewise/replay/__main__.py").write_text(ANSWERS, encoding="utf-8")
    calls = checker.folder / f"{MARK}calls" / f"{MARK}calls.jsonl"
    run = (
        *("--callable", f"{MARK}model.py:{MARK}encode", "--function", f"{MARK}Net.{MARK}encode"),
        *("--calls", str(calls)),
        *("--package", str(package), "--python", sys.executable),
    )
    policies = (
        *("--policy", f"mark_dynamic({MARK}x, 1)", "--policy", f"serve({MARK}x, 1, 1..64:64)"),
        *("--policy", f"buckets({MARK}x, 1, 64|128|256)", "--assume-no-questions"),
        *("--script", f"{MARK}best.py"),
    )
    checker.look_at_all("replay", *run, *policies)
    answer = checker.look("replay", "--redact", "--format", "json", *run, *policies)
    told = json.loads(json_in(answer))
    assert len(told["policies"]) == 4 and "mark_dynamic(name" in answer, answer
    assert "out differs" not in answer, answer
    openly = json.loads(json_in(checker.run("replay", "--format", "json", *run, *policies)))
    for report in (openly, told):
        for policy in report["policies"]:
            traps = len(policy["predicted"].pop("traps"))
            policy.update({"name": traps, "equal_why": bool(policy["equal_why"]), "error": bool(policy["error"])})
            policy["why"] = bool(policy["why"])
    assert told["policies"] == openly["policies"]
    sizes = ("--dim", f"{MARK}x:1", "--sizes", "17,64,200")
    checker.look_at_all("replay", *run, *sizes)
    curve = checker.look("replay", "--redact", "--format", "json", *run, *sizes)
    assert "\n}" in curve, curve
    assert len(json.loads(json_in(curve))["points"]) == 2, curve
    for wrong in (("--policy", f"mark_dynamic({MARK}unheard, 0)"), (f"{MARK}no-such.log",)):
        assert "error" in checker.look("replay", "--redact", *run, *wrong)
    none = checker.look("replay", "--redact", "--callable", f"{MARK}model.py:{MARK}f", trace)
    assert "error" in none, none


def check_run_and_merge(checker: Checker, name: str) -> None:
    """run: the verdict on what a program logged; merge: partials that were not redacted."""
    copy = (
        "import os, shutil; shutil.copytree(SOURCE, os.environ['TORCH_TRACE'], dirs_exist_ok=True)"
    ).replace("SOURCE", repr(str(checker.folder / name)))
    program = (sys.executable, "-c", copy)
    for number, form in enumerate(checker.choices("run", "--format")):
        folder = f"{MARK}recorded{number}"
        verdict = checker.look("run", "--redact", "--format", form, "--folder", folder, "--", *program)
        assert "which are not redacted" in verdict, verdict
    assert "--live" in checker.look("run", "--redact", "--live", "--", *program)

    partial = checker.folder / f"{MARK}open.partial"
    checker.run("lint", "--partial", str(partial), name)
    assert MARK.encode() in unpacked(partial)
    merged = checker.folder / "merged.partial"
    keyed = ("--redact", "--redact-key", "secret")
    checker.look("merge", *keyed, "-o", str(merged), str(partial), name, may_be_silent=True)
    assert MARK.encode() not in unpacked(merged)
    checker.look("merge", *keyed, "-o", str(merged), str(partial), may_be_silent=True)
    findings = [
        json.loads(text)["findings"]
        for text in (
            checker.look("lint", *keyed, "--format", "json", name),
            checker.look("lint", "--format", "json", str(merged)),
        )
    ]
    assert findings[0] == findings[1], "what was redacted at merging tells otherwise"
    assert "--redact-key" in checker.look("merge", "--redact", "-o", "b.partial", str(partial))


def check_partials(checker: Checker, name: str) -> None:
    """A partial has no name in it, and tells what the run tells."""
    partial = checker.folder / "a.partial"
    key = checker.folder / "key"
    key.write_text("secret\n", encoding="utf-8")
    keyed = ("--redact", "--redact-key", f"@{key}")
    direct = checker.look("lint", *keyed, "--format", "json", "--partial", str(partial), name)
    text = unpacked(partial)
    assert text.startswith(b'{"schema":"shapewise.partial/')
    assert MARK.encode() not in text, re.findall(rb".{0,60}qzvx.{0,30}", text)[:5]
    findings = [
        json.loads(each)["findings"]
        for each in (direct, checker.look("lint", "--format", "json", str(partial)))
    ]
    assert findings[0] == findings[1], f"{name}: the partial tells otherwise"
    assert "--redact-key" in checker.look("lint", "--redact", "--partial", "b.partial", name)


CODE = f"""\
import torch
from {MARK}helpers import {MARK}scale


class {MARK}Gate(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.{MARK}linear = torch.nn.Linear(8, 8)
        self.{MARK}calls = 0

    def forward(self, {MARK}x):
        self.{MARK}calls += 1
        {MARK}limit = {MARK}x.sum().item()
        print({MARK}limit, "{MARK}secret {MARK}text")
        if ({MARK}x > {MARK}limit).any():
            {MARK}x = {MARK}scale({MARK}x)
        {MARK}mask = {MARK}x[{MARK}x > 0]  # {MARK}comment
        return self.{MARK}linear({MARK}mask)
"""
HELPERS = f"""\
def {MARK}scale({MARK}value):
    return {MARK}value * float({MARK}value.max())
"""


def check_code(checker: Checker) -> None:
    """check, over code in which every name is marked."""
    project = checker.folder / f"{MARK}src"
    project.mkdir()
    (project / f"{MARK}model.py").write_text(CODE, encoding="utf-8")
    (project / f"{MARK}helpers.py").write_text(HELPERS, encoding="utf-8")
    (project / f"{MARK}broken.py").write_text(
        f"import torch\ndef {MARK}f(:\n  torch.compile", "utf-8"
    )
    arguments = ("--no-cache", str(project))
    checker.look_at_all("check", *arguments)
    checker.look("check", "--redact", "--statistics", *arguments)
    redacted = json.loads(checker.look("check", "--redact", "--format", "json", *arguments))
    marked_code = json.loads(checker.run("check", "--format", "json", *arguments))
    members = ("rule", "severity", "line", "column", "end_line", "confidence", "breaks")
    told = [
        sorted([[each[name] for name in members] for each in result["findings"]], key=str)
        for result in (redacted, marked_code)
    ]
    assert told[0] == told[1] and len(told[0]) >= 4, told
    assert "--redact" in checker.look("check", "--redact", "--fix", *arguments)


def check_buckets(checker: Checker) -> None:
    """buckets: columns, files, ladders of the user's own."""
    folder = checker.folder / f"{MARK}sizes"
    folder.mkdir()
    rows = "\n".join(f"{n * 37 % 900 + 8},{n}" for n in range(400))
    (folder / f"{MARK}lengths.csv").write_text(f"{MARK}tokens,{MARK}other\n{rows}\n", "utf-8")
    (folder / f"{MARK}ladder.txt").write_text("64\n256\n1024\n", encoding="utf-8")
    arguments = (
        *(str(folder / f"{MARK}lengths.csv"), "--column", f"{MARK}tokens", "--compare", "vllm"),
        *("--compare", str(folder / f"{MARK}ladder.txt"), "--buckets", "6"),
    )
    checker.look_at_all("buckets", *arguments)
    for form in checker.choices("buckets", "--emit"):
        checker.look("buckets", "--redact", "--emit", form, *arguments)


def main(program: str, corpora: Path) -> int:
    """Runs all; an AssertionError says what leaked."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / f"{MARK}jobs"
        folder.mkdir()
        checker = Checker(program, folder)
        logs = sorted(corpora.glob("minimal/*.log"))[::MINIMAL_STEP]
        runs = [corpora / name for name in RUNS] + logs
        names = []
        for number, run in enumerate(runs):
            name = f"{MARK}run{number}/{MARK}{run.name}"
            plant(run, folder / name)
            names.append(name)
            check_run(checker, name)
        for name in names[: len(RUNS)]:
            checker.look_at_all("lint", name)
            checker.look_at_all("guards", "--all", name)
            checker.look_at_all("advise", "--all", name)
            checker.look_at_all("diff", name, names[1])
            check_partials(checker, name)
            checker.look("report", "--redact", name)
            for form in ("env", "config", "markdown"):
                checker.look("advise", "--redact", "--emit", form, name)
        checker.look(
            "lint", "--redact", "--format", "json", "--perfetto", "timeline.json", names[1]
        )
        assert MARK not in (folder / "timeline.json").read_text(encoding="utf-8")
        function = re.search(rf"{MARK}\w+", checker.run("guards", names[2]))
        assert function and f"{function[0]}" not in checker.look(
            "guards", "--redact", "--function", function[0], names[2]
        )
        dumps = [path for path in sorted((corpora / "dumps").rglob("*")) if path.is_file()]
        for number, dump in enumerate(dumps[::DUMPS_STEP]):
            name = f"{MARK}dump{number}/{MARK}{dump.name}"
            plant(dump, folder / name)
            checker.look_at_all("graph", name)
        check_code(checker)
        check_buckets(checker)
        check_predictions(checker, names[2])
        check_replays(checker, names[2])
        check_run_and_merge(checker, names[2])
        shutil.rmtree(folder)
    print(f"{checker.outputs} redacted outputs, no name in any")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
