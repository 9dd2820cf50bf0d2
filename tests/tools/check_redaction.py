"""No name of a run or of code leaves a redacted output, whatever the command and the format.

Usage: check_redaction.py PROGRAM CORPORA

Captured logs, traces and dumps get names that occur nowhere else: each name of the user that is found
in them (paths, functions, sources, code) is given the start "qzvx". Every command runs with --redact in
every format it has; "qzvx" must not be in what it prints, nor in unpacked partials. Findings must have
the numbers of the run that is told openly.
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

# What PyTorch and Python call things; a program that has such names tells nothing by them.
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

    def run(self, *arguments: str) -> str:
        """What a command prints."""
        done = subprocess.run(
            [self.program, *arguments], cwd=self.folder, capture_output=True, check=False
        )
        output = done.stdout.decode("utf-8", "replace") + done.stderr.decode("utf-8", "replace")
        assert done.returncode in (0, 1, 2) and output, f"{arguments}: {done.returncode} {output}"
        return output

    def look(self, *arguments: str) -> str:
        """The same, without a mark in it."""
        output = self.run(*arguments)
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
    open_findings = [numbers(each) for each in json.loads(marked_run)["findings"]]
    findings = [numbers(each) for each in json.loads(redacted)["findings"]]
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
        shutil.rmtree(folder)
    print(f"{checker.outputs} redacted outputs, no name in any")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
