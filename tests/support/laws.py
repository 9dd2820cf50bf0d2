"""What the scripts of the laws share: runs of the program, inputs from corpora/, small generated projects.

A law is a property that holds for every input. The scripts take
    check_X_laws.py PROGRAM ROOT [--whole]
ROOT is the repository. Without --whole a fixed sample of the costly inputs is used, chosen by their names.
Exit status: 0 all laws hold, 1 one does not.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
Site = tuple[str, int, int, int, int]  # file, line, column, end line, end column

# Inputs in ../shared may be large; a sample reads only those below this size.
MOST_SAMPLED_BYTES = 1_000_000
MOST_PROBLEMS = 40


@dataclass
class Laws:
    """A script's arguments, and the violations that it found."""

    program: str
    root: Path
    whole: bool
    work: Path
    problems: list[str] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)

    def expect(self, holds: bool, law: str, what: str) -> None:
        """Counts one instance of `law`; `what` names it if it does not hold."""
        self.checked[law] = self.checked.get(law, 0) + 1
        if not holds:
            self.problems.append(f"{law}: {what}")

    def sampled(self, name: str, one_in: int) -> bool:
        return self.whole or zlib.crc32(name.encode()) % one_in == 0

    def run(
        self,
        *arguments: str,
        inside: Path | None = None,
        text: bytes | None = None,
        env: dict[str, str] | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run(
            [self.program, *arguments],
            cwd=inside or self.work,
            input=text if text is not None else b"",
            capture_output=True,
            env=env,
            timeout=300,
            check=False,
        )

    def json(self, *arguments: str, inside: Path | None = None, text: bytes | None = None) -> Json:
        """The JSON that a command prints; {} if it could not read its input, as its exit status says."""
        done = self.run(*arguments, "--format", "json", inside=inside, text=text)
        if done.returncode == 2 and not done.stdout:
            return {}
        try:
            result: Json = json.loads(done.stdout)
        except ValueError:
            self.expect(False, "readable result", f"{arguments}: {done.returncode} {done.stderr.decode()[:300]}")
            return {}
        return result

    def check(self, *arguments: str, inside: Path | None = None, text: bytes | None = None) -> Json:
        return self.json("check", "--no-cache", "--exit-zero", *arguments, inside=inside, text=text)

    def lint(self, *arguments: str, inside: Path | None = None, text: bytes | None = None) -> Json:
        return self.json("lint", "--exit-zero", *arguments, inside=inside, text=text)


def run_laws(name: str, laws_of: Iterable[Callable[[Laws], None]]) -> int:
    """The main function of a script. Its laws run one after the other."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("root", type=Path)
    parser.add_argument("--whole", action="store_true", help="check all inputs, not a sample")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        laws = Laws(
            str(Path(arguments.program).resolve()), arguments.root.resolve(), arguments.whole, Path(folder).resolve()
        )
        for law in laws_of:
            law(laws)
    for problem in laws.problems[:MOST_PROBLEMS]:
        print(f"{name}: {problem}")
    print(f"{name}: {len(laws.problems)} violations; " + ", ".join(f"{k} {v}" for k, v in laws.checked.items()))
    return 1 if laws.problems else 0


def logs(laws: Laws) -> list[Path]:
    """Every log and trace of corpora/, and of ../shared where it is there: one path for each run."""
    found = sorted((laws.root / "corpora/minimal").glob("*.log"))
    for run in sorted((laws.root / "corpora/captured").glob("*/*")):
        trace = run / "trace"
        found += [path for path in (run / "log.txt", trace) if path.exists()]
    shared = laws.root.parent / "shared"
    others = sorted([*shared.glob("wild/*"), *shared.glob("wild2/*"), *shared.glob("captures/*/log.txt")])
    found += [
        path
        for path in others
        if path.is_file()
        and path.suffix in {".log", ".txt"}
        and (laws.whole or path.stat().st_size < MOST_SAMPLED_BYTES)
    ]
    return found


def site_of(place: Json) -> Site:
    return (place["file"], place["line"], place["column"], place["end_line"], place["end_column"])


def sites(result: Json) -> set[Site]:
    """Every place that a result of `check` names as a finding, folded or not."""
    found = set()
    for finding in result.get("findings", []):
        places = [place for place in finding["related"] if not place["message"].startswith("called from ")]
        for place in [finding, *places]:
            found.add(site_of(place))
    return found


def severities(result: Json) -> dict[tuple[str, int, int], int]:
    """By place, the rank of its worst severity in a result of `check`."""
    ranks = {"note": 0, "warning": 1, "error": 2}
    worst: dict[tuple[str, int, int], int] = {}
    for finding in result.get("findings", []):
        rank = ranks[finding["severity"]]
        for place in [finding, *finding["related"]]:
            key = site_of(place)[:3]
            worst[key] = max(worst.get(key, 0), rank)
    return worst


def copy_suite(laws: Laws, folder: Path) -> list[str]:
    """Copies the check suite, and returns the names of its files."""
    shutil.copytree(laws.root / "tests/torch/check_suite", folder, dirs_exist_ok=True)
    return sorted(path.name for path in folder.glob("*.py"))


# Statements of a forward method; {n} is a number that occurs once.
SIMPLE = (
    "y{n} = x.sum().item()",
    "y{n} = torch.unique(x)",
    "y{n} = x.nonzero()",
    "print('step {n}', x)",
    "y{n} = float(x.mean())",
    "y{n} = x[x > {n}]",
    "y{n} = x.tolist()",
    "x = x + {n}",
    "y{n} = measure(x * {n})",
    "y{n} = self.inner(x - {n})",
    "self.last{n} = x.max().item()",
    "y{n} = random.random() * {n}",
)
BLOCKS = (
    "if x.sum() > {n}:",
    "if self.training and {n}:",
    "if mask is not None and {n}:",
    "while x.max() > {n}:",
    "for i{n} in range({n}):",
    "with torch.no_grad():  # {n}",
)
HELPERS = """import torch


def measure(values):
    count = values.abs().item()
    return values.norm() * count


def unused(values):
    return values.min().item()
"""


class ProjectWriter:
    """Writes small projects, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.number = 0

    def statement(self) -> str:
        self.number += 1
        return self.random.choice(SIMPLE).format(n=self.number)

    def block(self, depth: int = 0) -> list[str]:
        lines = []
        for _ in range(self.random.randint(1, 3)):
            if depth < 3 and self.random.random() < 0.4:
                self.number += 1
                lines.append(self.random.choice(BLOCKS).format(n=self.number))
                lines += ["    " + line for line in self.block(depth + 1)]
            else:
                lines.append(self.statement())
        return lines

    def function(self, name: str) -> list[str]:
        head = f"    def {name}(self, x: torch.Tensor, mask: torch.Tensor = None):"
        return [head, *("        " + line for line in self.block()), f"        return x * {self.number}", ""]

    def model(self, name: str) -> list[str]:
        lines = ["import random", "", "import torch", "", "from helpers import measure", "", ""]
        lines += [f"class {name}(torch.nn.Module):"]
        return lines + self.function("forward") + self.function("inner") + self.function("idle")


def write_project(folder: Path, seed: int, models: int = 2) -> list[str]:
    """Writes a project of `models` files with a model, a package among them, and helpers; returns their names."""
    writer = ProjectWriter(seed)
    names = ["helpers.py"]
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "helpers.py").write_text(HELPERS)
    for i in range(models):
        name = f"model{i}.py" if i % 2 == 0 else f"parts/model{i}.py"
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("\n".join(writer.model(f"Model{i}")) + "\n")
        names.append(name)
    return sorted(names)
