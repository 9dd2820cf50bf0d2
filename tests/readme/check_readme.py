#!/usr/bin/env python3
"""Every command of README.md is run, and prints what README.md shows.

    check_readme.py TOOL ROOT [--python PYTHON]

A fence that begins with `$ shapewise` is a transcript: the command is run and must print the lines below it, in
order; a line `...` stands for lines that are left out. A fence without `$` that shows a verdict belongs to the
last command named before it. All other commands, in fences, in text and in the table of commands, are run with
the words of STAND_INS in the place of names that stand for something, and may find what they find; those of
ELSEWHERE are run by the test that is named there. A command that is none of these fails the test, as does a test
that is not there. PYTHON runs the examples of Python.
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

# Commands that this test does not run itself, by how they begin, and the test that does.
ELSEWHERE = {
    "git clone": "packaging.wheel",  # a copy of the checkout is what it installs
    "./dev demo": "readme",  # its one command of shapewise is run below
    "./dev test": "unit.support",  # this is one of its tests
    "./dev help": "readme",
    "./dev setup": "unit.support",
    "./dev bench": "bench.programs",
    "./dev nightly": "fuzz.corpora",  # takes hours; what it does are tests of this list, in other builds
    "pip install .": "packaging.wheel",
    "pip install torch": "torch.replay",
    "pip install 'shapewise[fleet,ray]'": "fleet.ray",
    "source <(shapewise completion bash)": "packaging.shells",
    "cmake --preset release": "packaging.deb",
    "python -m shapewise.replay": "torch.replay",
    "python -m shapewise.fleet": "fleet.local",
    "python -m shapewise lint": "packaging.wheel",
    "python3 tests/bench/regret.py": "torch.regret",
    "tests/bench/regret.py": "torch.regret",
    "tests/bench/captioning/study.py": "torch.captioning",
    "tests/bench/bench_": "bench.programs",
    "tests/gpu/run.sh": "torch.gpu_script",
    "tests/torch/check_advice.py": "torch.advice",
    "tests/torch/check_fix_suite.py": "torch.check_fixes",
    "shapewise replay": "torch.replay_command",
    "shapewise lint --follow": "follow.process",
}

# What stands for something in a command, and what is taken for it here.
STAND_INS = {
    "PATH...": "run.log",
    "LOG...": "run.log",
    "PART... -o OUT": "a.partial b.partial -o OUT",
    "DUMP...": "graph.txt",
    "--log RUN": "--log run.log --assume-no-questions",
    "LENGTHS": "lengths.txt",
    "OLD NEW": "run.log run.log",
    "RULE": "SWC003",
    "schema NAME": "schema lint",
    "SHELL": "bash",
    "-- CMD": "-- python3 train.py",
    "-- python ": "-- python3 ",
    "check src/": "check .",
}


@dataclass
class Fence:
    """One fenced block: its language, its text, the line on which it begins, the text before it."""

    language: str
    text: str
    line: int
    before: str


def fences_of(text: str) -> list[Fence]:
    found = []
    for match in re.finditer(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        line = text.count("\n", 0, match.start()) + 1
        found.append(Fence(match.group(1), match.group(2), line, text[: match.start()]))
    return found


def joined(lines: list[str]) -> list[str]:
    """Lines of a shell, those that go on behind a backslash as one."""
    return "\n".join(lines).replace("\\\n", " ").split("\n")


def case_input(root: Path, case: str) -> str:
    """The file that a literate case brings."""
    text = (root / "tests" / "cases" / case).read_text(encoding="utf-8")
    found = re.search(r"^```log[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert found is not None, case
    return found.group(1)


def lay_out(root: Path, tool: str, folder: Path) -> None:
    """The files that README's commands speak of."""
    (folder / "corpora").symlink_to(root / "corpora")
    log = root / "corpora" / "captured" / "2.13.0" / "222-limit-cache" / "log.txt"
    (folder / "run.log").write_bytes(log.read_bytes())
    (folder / "trace").symlink_to(root / "corpora" / "captured" / "2.13.0" / "251-ranks-lengths" / "trace")
    (folder / "graph.txt").write_text(case_input(root, "graph/masked.md"), encoding="utf-8")
    (folder / "model.py").write_text(case_input(root, "check/text-report.md"), encoding="utf-8")
    (folder / "train.py").write_text("print('a step')\n", encoding="utf-8")
    (folder / "lengths.txt").write_text("".join(f"{16 + i * 7 % 90}\n" for i in range(200)), encoding="utf-8")
    lengths = root.parent / "shared" / "data" / "lengths" / "azure_conv.csv"
    if lengths.is_file():
        (folder / "azure_conv.csv").symlink_to(lengths)
    for name in ("a.partial", "b.partial"):
        subprocess.run([tool, "lint", "--exit-zero", "--partial", name, "run.log"], cwd=folder, check=True, capture_output=True)


class Reader:
    """Runs what README tells, and collects what does not hold."""

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
        lists = [path.read_text(encoding="utf-8") for path in (root / "tests").glob("*/CMakeLists.txt")]
        self.tests = "\n".join(lists)
        self.inner = self._inner_commands((root / "dev").read_text(encoding="utf-8"))

    @staticmethod
    def _inner_commands(dev: str) -> dict[str, str]:
        """What `./dev demo` shows, as the command of shapewise that it is."""
        found = re.search(r"^ *build/release/(shapewise lint .*)$", dev, re.MULTILINE)
        assert found is not None
        return {"./dev demo": found.group(1)}

    def shell(self, command: str) -> subprocess.CompletedProcess[str]:
        self.ran += 1
        return subprocess.run(
            ["bash", "-c", command], cwd=self.folder, env=self.environment, capture_output=True, text=True, timeout=120
        )

    def show(self, command: str, shown: list[str], line: int) -> None:
        """`command` must print the lines `shown`; "..." stands for what is left out."""
        if "azure_conv.csv" in command and not (self.folder / "azure_conv.csv").exists():
            print(f"README.md:{line}: skipped, the lengths are not here: {command}")
            return
        done = self.shell(command)
        printed = done.stdout.rstrip("\n").split("\n")
        at = 0
        pieces = [[]]
        for text in shown:
            if text == "...":
                pieces.append([])
            else:
                pieces[-1].append(text)
        for piece in pieces:
            starts = [i for i in range(at, len(printed) - len(piece) + 1) if printed[i : i + len(piece)] == piece]
            if not starts:
                missing = next((text for text in piece if text not in printed), piece[0])
                self.faults.append(f"README.md:{line}: `{command}` does not print, where it is shown: {missing}")
                return
            at = starts[0] + len(piece)

    def take(self, command: str, line: int) -> None:
        """Runs `command`, or makes sure that the test is there that does."""
        self.named += 1
        owner = next((test for start, test in ELSEWHERE.items() if command.startswith(start)), None)
        if owner is not None:
            group, _, name = owner.partition(".")
            ways = [f"NAME {owner}", f"shapewise_{group}_test({name} "]
            is_there = any(way in self.tests for way in ways) or (
                group == "unit" and (self.root / "tests/unit" / name).is_dir()
            )
            if not is_there:
                self.faults.append(f"README.md:{line}: no test {owner}, which is to run `{command}`")
            return
        if not command.startswith(("shapewise ", "python -m shapewise ")):
            self.faults.append(f"README.md:{line}: no test runs `{command}`")
            return
        for name, taken in STAND_INS.items():
            command = command.replace(name, taken)
        if re.fullmatch(r"shapewise [a-z]+", command) and command != "shapewise rules":
            command += " --help"  # the name of a command, not a use of it
        done = self.shell(command)
        if done.returncode > 1:
            self.faults.append(f"README.md:{line}: `{command}` exits with {done.returncode}: {done.stderr.strip()[:300]}")

    def run_python(self, fence: Fence) -> None:
        jobs = self.folder / "logs"
        if not jobs.is_dir():
            for job in ("first", "second"):
                (jobs / job).mkdir(parents=True)
                (jobs / job / "run.log").write_bytes((self.folder / "run.log").read_bytes())
            (self.folder / "CODEOWNERS").write_text("* @everybody\n", encoding="utf-8")
        code = "def train(): pass\n" if "train()" in fence.text else ""
        code += fence.text.replace("/logs/2026-11/*", f"{jobs}/*")
        # What multiprocessing starts imports the file again.
        guarded = "if __name__ == '__main__':\n" + "".join(f"    {row}\n" for row in code.splitlines())
        path = self.folder / f"fence_{fence.line}.py"
        path.write_text(guarded, encoding="utf-8")
        self.ran += 1
        environment = {**self.environment, "SHAPEWISE_PROGRAM": str(self.folder / ".programs" / "shapewise")}
        done = subprocess.run([self.python, str(path)], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=120)
        if done.returncode != 0:
            self.faults.append(f"README.md:{fence.line}: the example of Python ends with {done.returncode}: {done.stderr.strip()[-400:]}")


def commands_in(text: str) -> Iterator[tuple[str, int]]:
    """Commands in text outside of fences, each with its line."""
    outside = re.sub(r"^```.*?^```$", lambda m: "\n" * m.group().count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    begins = r"(?:shapewise [a-z]|python3? -m shapewise|python3 |\./dev |pip install|cmake |tests/\S*\.(?:py|sh)\b)"
    for found in re.finditer(rf"`({begins}[^`\n]*)`", outside):
        yield found.group(1).replace("\\|", "|"), outside.count("\n", 0, found.start()) + 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("root", type=Path)
    parser.add_argument("--python", default=sys.executable)
    args = parser.parse_args()
    root = args.root.resolve()
    readme = (root / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lay_out(root, args.tool, folder)
        reader = Reader(args.tool, root, args.python, folder)
        for fence in fences_of(readme):
            lines = fence.text.rstrip("\n").split("\n")
            if fence.language == "python":
                reader.run_python(fence)
            elif lines[0].startswith("$ "):
                command = lines[0][2:]
                body = lines[1:]
                while command.endswith("\\"):
                    command = command[:-1] + body.pop(0)
                reader.show(" ".join(shlex.split(command)) if "\"" not in command else command, body, fence.line)
            elif re.match(r"\d+ causes?\b", lines[0]):
                last = re.findall(r"`((?:shapewise lint|\./dev demo)[^`]*)`", fence.before)[-1]
                reader.show(reader.inner.get(last, last), [*lines[:1], *lines[1:]], fence.line)
            elif re.match(r"(git|pip|python|shapewise|cmake|source|\./dev)\b", lines[0]) or lines[0].startswith("./dev"):
                for row in joined(lines):
                    reader.take(row.split("  #")[0].split("    #")[0].strip(), fence.line)
        for command, line in commands_in(readme):
            reader.take(command, line)
    for fault in reader.faults:
        print(fault)
    print(f"{reader.named} commands named, {reader.ran} runs, {len(reader.faults)} faults")
    return 1 if reader.faults else 0


if __name__ == "__main__":
    sys.exit(main())
