#!/usr/bin/env python3
"""Run every command of README.md and of the pages in PAGES, and compare the output with what they show.

    check_readme.py TOOL ROOT [--python PYTHON]

A fence that begins with `$ shapewise` is a transcript: the command must print the lines below it, in order. A line
`...` stands for lines that are left out. All other commands, in fences, in text and in tables, are run after STAND_INS
replaced their placeholders, and may exit with 0 or 1. Another test runs the commands of ELSEWHERE. The test fails if a
command is none of these, or if a test of ELSEWHERE does not exist. PYTHON runs the Python examples.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

# The pages whose commands are run.
PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "analyzer/docs/choosing-sizes.md",
    "analyzer/docs/commands.md",
    "analyzer/docs/comparison.md",
    "analyzer/docs/measurements.md",
    "analyzer/docs/settings.md",
    "analyzer/docs/tour.md",
)

# How commands begin that another test runs, and that test.
ELSEWHERE = {
    "./dev demo": "readme",  # its command is a transcript in tour.md
    "./dev test": "unit.support",  # this is one of its tests
    "./dev build release": "bench.programs",
    "./dev docs": "tree.links",  # checks the same links
    "./dev format": "unit.support",
    "./dev help": "readme",
    "./dev setup": "unit.support",
    "./dev bench": "bench.programs",
    "./dev nightly": "fuzz.corpora",  # takes hours: it runs the same tests in other builds
    "./dev tidy": "unit.support",
    "./dev wheel": "packaging.wheel",
    "pip install .": "packaging.wheel",
    "pip install torch": "torch.replay",
    "pip install 'shapewise[fleet,ray]'": "fleet.ray",
    "source <(shapewise completion bash)": "packaging.shells",
    "cmake --preset release": "packaging.deb",
    "python -m shapewise.replay": "torch.replay",
    "python -m shapewise.fleet": "fleet.local",
    "python -m shapewise": "packaging.wheel",
    "python3 tests/bench/regret.py": "torch.regret",
    "tests/bench/regret.py": "torch.regret",
    "TORCH_LOGS=recompiles,graph_breaks python": "torch.constant_sizes",  # makes logs so
    "tests/bench/captioning/study.py": "torch.captioning",
    "tests/bench/bench_": "bench.programs",
    "tests/gpu/run.sh": "torch.gpu_script",
    "tests/gpu/show.py": "measured.${name}",
    "tests/torch/check_advice.py": "torch.advice",
    "tests/torch/check_fix_suite.py": "torch.check_fixes",
    "tests/torch/check_predict_models.py": "torch.predict_models",
    "tests/torch/check_tune_models.py": "torch.tune_models",
    "shapewise replay": "torch.replay_command",
    "shapewise lint --follow": "follow.process",
    "shapewise check --diff": "check.workflow",
    "shapewise check --fix": "check.workflow",
}

# Placeholders in commands, and their replacements.
STAND_INS = {
    "check PATH...": "check model.py",
    "PATH...": "run.log",
    "LOG...": "run.log",
    "PART... -o OUT": "a.partial b.partial -o OUT",
    "DUMP...": "graph.txt",
    "--log RUN": "--log run.log --assume-no-questions",
    "LENGTHS": "lengths.txt",
    "OLD NEW": "run.log run.log",
    "CODE": "SWC001",
    "RULE": "SWC001",
    "schema NAME": "schema lint",
    "SHELL": "bash",
    "-- CMD": "-- python3 train.py",
    "-- python ": "-- python3 ",
    "check src/": "check .",
}


@dataclass
class Fence:
    """A fenced block: its language, its text, and its first line."""

    language: str
    text: str
    line: int


def fences_of(text: str) -> list[Fence]:
    found = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        found.append(Fence(match.group(1), match.group(2), line))
    return found


def joined(lines: list[str]) -> list[str]:
    """Shell lines, with lines that end in a backslash joined to the next one."""
    return "\n".join(lines).replace("\\\n", " ").split("\n")


def case_input(root: Path, case: str) -> str:
    """The input file of a literate case."""
    text = (root / "tests" / "cases" / case).read_text(encoding="utf-8")
    found = re.search(r"^```log[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found is not None, case
    return found.group(1)


def lay_out(root: Path, tool: str, folder: Path) -> None:
    """Create the files that the commands read."""
    (folder / "corpora").symlink_to(root / "corpora")
    log = root / "corpora" / "captured" / "2.13.0" / "263-step-counter" / "log.txt"
    (folder / "run.log").write_bytes(log.read_bytes())
    (folder / "trace").symlink_to(root / "corpora" / "captured" / "2.13.0" / "251-ranks-lengths" / "trace")
    (folder / "graph.txt").write_text(case_input(root, "graph/masked.md"), encoding="utf-8")
    (folder / "model.py").write_text(case_input(root, "check/text-report.md"), encoding="utf-8")
    (folder / "train.py").write_text("print('a step')\n", encoding="utf-8")
    (folder / "lengths.txt").write_text("".join(f"{16 + i * 7 % 90}\n" for i in range(200)), encoding="utf-8")
    (folder / "curve.csv").write_text("size,seconds,dynamic\n16,0.01,0.011\n128,0.04,0.05\n", encoding="utf-8")
    lengths = root.parent / "shared" / "data" / "lengths" / "azure_conv.csv"
    if lengths.is_file():
        (folder / "azure_conv.csv").symlink_to(lengths)
    for name in ("a.partial", "b.partial"):
        subprocess.run([tool, "lint", "--exit-zero", "--partial", name, "run.log"], cwd=folder, check=True, capture_output=True)


class Reader:
    """Runs the commands of the pages and collects faults."""

    def __init__(self, tool: str, root: Path, python: str, folder: Path) -> None:
        self.root = root
        self.python = python
        self.folder = folder
        self.faults: list[str] = []
        self.ran = 0
        self.named = 0
        programs = folder / ".programs"
        programs.mkdir()
        (programs / "shapewise").symlink_to(Path(tool).resolve())
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "PYTHONPATH": str(root / "python"),
        }
        self.page = ""
        lists = [path.read_text(encoding="utf-8") for path in (root / "tests").glob("*/CMakeLists.txt")]
        self.tests = "\n".join(lists)

    def fault(self, line: int, text: str) -> None:
        self.faults.append(f"{self.page}:{line}: {text}")

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        self.ran += 1
        return subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120
        )

    def show(self, command: str, shown: list[str], line: int) -> None:
        """Check that `command` prints the lines `shown`; "..." stands for left-out lines."""
        if "azure_conv.csv" in command and not (self.folder / "azure_conv.csv").exists():
            print(f"{self.page}:{line}: skipped, the lengths are missing: {command}")
            return
        done = self.shell(command)
        printed = done.stdout.rstrip("\n").split("\n")
        at = 0
        pieces: list[list[str]] = [[]]
        for text in shown:
            if text == "...":
                pieces.append([])
            else:
                pieces[-1].append(text)
        for piece in pieces:
            starts = [i for i in range(at, len(printed) - len(piece) + 1) if printed[i : i + len(piece)] == piece]
            if not starts:
                missing = next((text for text in piece if text not in printed), piece[0])
                self.fault(line, f"`{command}` does not print this line in this place: {missing}")
                return
            at = starts[0] + len(piece)

    def take(self, command: str, line: int) -> None:
        """Run `command`, or check that the test that runs it exists."""
        self.named += 1
        owner = next((test for start, test in ELSEWHERE.items() if command.startswith(start)), None)
        if owner is not None:
            group, _, name = owner.partition(".")
            ways = [f"NAME {owner}", f"shapewise_{group}_test({name} "]
            is_there = any(way in self.tests for way in ways) or (
                group == "unit" and (self.root / "tests/unit" / name).is_dir()
            )
            if not is_there:
                self.fault(line, f"there is no test {owner}, which should run `{command}`")
            return
        if not command.startswith(("shapewise ", "python -m shapewise ")):
            self.fault(line, f"no test runs `{command}`")
            return
        for name, taken in STAND_INS.items():
            command = command.replace(name, taken)
        if re.fullmatch(r"shapewise [a-z]+", command) and command != "shapewise rules":
            command += " --help"  # a mention of the command, not an example
        done = self.shell(command)
        if done.returncode > 1:
            self.fault(line, f"`{command}` exits with {done.returncode}: {done.stderr.strip()[:300]}")

    def run_python(self, fence: Fence) -> None:
        jobs = self.folder / "logs"
        if not jobs.is_dir():
            for job in ("first", "second"):
                (jobs / job).mkdir(parents=True)
                (jobs / job / "run.log").write_bytes((self.folder / "run.log").read_bytes())
            (self.folder / "CODEOWNERS").write_text("* @everybody\n", encoding="utf-8")
        code = "def train(): pass\n" if "train()" in fence.text else ""
        code += fence.text.replace("/logs/2026-11/*", f"{jobs}/*")
        # Child processes of multiprocessing import the file again.
        guarded = "if __name__ == '__main__':\n" + "".join(f"    {row}\n" for row in code.splitlines())
        path = self.folder / f"fence_{fence.line}.py"
        path.write_text(guarded, encoding="utf-8")
        self.ran += 1
        environment = {**self.environment, "SHAPEWISE_PROGRAM": str(self.folder / ".programs" / "shapewise")}
        done = subprocess.run([self.python, str(path)], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            self.fault(fence.line, f"the Python example exits with {done.returncode}: {done.stderr.strip()[-400:]}")


def commands_in(text: str) -> Iterator[tuple[str, int]]:
    """Commands outside of fences, each with its line."""
    outside = re.sub(r"^```.*?^```$", lambda m: "\n" * m.group().count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    begins = r"(?:shapewise [a-z]|python3? -m shapewise|python3 |\./dev |pip install|cmake |tests/\S*\.(?:py|sh)\b)"
    for found in re.finditer(rf"`({begins}[^`\n]*)`", outside):
        yield found.group(1).replace("\\|", "|"), outside.count("\n", 0, found.start()) + 1


def check_page(reader: Reader, page: str) -> None:
    """Run all commands of one page."""
    reader.page = page
    text = (reader.root / page).read_text(encoding="utf-8")
    for fence in fences_of(text):
        lines = fence.text.rstrip("\n").split("\n")
        if fence.language == "python":
            reader.run_python(fence)
        elif lines[0].startswith("$ "):
            command = lines[0][2:]
            body = lines[1:]
            while command.endswith("\\"):
                command = command[:-1] + body.pop(0)
            reader.show(" ".join(shlex.split(command)) if '"' not in command else command, body, fence.line)
        elif re.match(r"(git|pip|python|shapewise|cmake|source|\./dev)\b(?!:)", lines[0]) or lines[0].startswith("./dev"):
            for row in joined(lines):
                reader.take(row.split("  #")[0].split("    #")[0].strip(), fence.line)
    for command, line in commands_in(text):
        reader.take(command, line)


def demo_faults(root: Path) -> list[str]:
    """A fault if the tour does not show the command of `./dev demo`."""
    found = re.search(r"^ *build/release/(shapewise lint .*)$", (root / "dev").read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    shown = "$ " + found.group(1).replace("--exit-zero ", "")
    tour = (root / "analyzer/docs/tour.md").read_text(encoding="utf-8")
    return [] if shown in tour else [f"analyzer/docs/tour.md: the command of ./dev demo is not shown: {shown}"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("root", type=Path)
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    root = args.root.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(root, args.tool, folder)
        reader = Reader(args.tool, root, args.python, folder)
        for page in PAGES:
            check_page(reader, page)
        reader.faults += demo_faults(root)
    for fault in reader.faults:
        print(fault)
    print(f"{reader.named} commands named, {reader.ran} runs, {len(reader.faults)} faults")
    return 1 if reader.faults else 0


if __name__ == "__main__":
    sys.exit(main())
