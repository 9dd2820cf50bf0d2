#!/usr/bin/env python3
"""Runs the steps of action.yml that need no GitHub, as a runner would.

    tests/packaging/check_action.py PROGRAM ROOT

The key of the cached wheel changes with the source and with nothing else. The wheel of the release is installed, or one
that is built where there is no such release. Annotations, SARIF and the table name files from the root of the repository,
whatever `working-directory` is.
Exit status: 0 all holds, 1 something does not, 77 git or bash is not there.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

MODEL = """import torch


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()
"""


# A GitHub client that knows one release, and an action whose wheel is built by copying another.
GH = """#!/bin/bash
[ "$1 $2 $3 $4 $5" = "release download v1 --repo o/shapewise" ] && cp "$RELEASED" "${!#}"
"""
PROJECT = '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
BACKEND = """import os, shutil


def build_wheel(folder, config_settings=None, metadata_directory=None):
    return os.path.basename(shutil.copy(os.environ["COPIED"], folder))
"""


def write_wheel(folder: Path, version: str) -> Path:
    """A wheel whose program prints its version."""
    wheel = folder / f"shapewise-{version}-py3-none-{os.uname().sysname.lower()}_{os.uname().machine}.whl"
    info = f"shapewise-{version}.dist-info"
    with zipfile.ZipFile(wheel, "w") as archive:
        program = zipfile.ZipInfo(f"shapewise-{version}.data/scripts/shapewise")
        program.external_attr = 0o100755 << 16
        archive.writestr(program, f"#!/bin/sh\necho shapewise {version}\n")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: shapewise\nVersion: {version}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return wheel


def script_of(action: str, step: str) -> str:
    """The shell script of a step of the action."""
    lines = action.split(f"- name: {step}\n")[1].split("    - name: ")[0].splitlines()
    begin = lines.index("      run: |") + 1
    return "\n".join(line[8:] for line in lines[begin:])


class Runner:
    """A checkout with a project in a folder below, and the variables of a runner."""

    def __init__(self, program: str, root: Path, folder: Path) -> None:
        self.action = (root / "action.yml").read_text(encoding="utf-8")
        self.folder = folder
        self.checkout = folder / "checkout"
        self.env = {
            **os.environ,
            "GITHUB_WORKSPACE": str(self.checkout),
            "GITHUB_ACTION_PATH": str(folder / "action"),
            "GITHUB_OUTPUT": str(folder / "output"),
            "GITHUB_STEP_SUMMARY": str(folder / "summary"),
            "PROGRAM": program,
            "PATHS": ".",
            "BASE": "",
            "MODE": "both",
            "FAIL_ON": "warning",
            "REPORTS": str(folder),
            "INSTALLED": "",
        }
        self.problems: list[str] = []

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            self.problems.append(what)

    def step(self, name: str, inside: Path, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["bash", "-c", script_of(self.action, name)],
            cwd=inside,
            env={**self.env, **variables},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def output(self, name: str) -> str:
        lines = (self.folder / "output").read_text().splitlines()
        return [line.removeprefix(f"{name}=") for line in lines if line.startswith(f"{name}=")][-1]

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.checkout, check=True, capture_output=True)

    def check_key(self) -> None:
        source = self.folder / "action"
        (source / "analyzer").mkdir(parents=True)
        (source / "analyzer/a.cc").write_text("int a;\n")

        def key() -> str:
            done = self.step("Identify the source", self.folder)
            self.expect(done.returncode == 0, f"identify: {done.stderr}")
            return self.output("key")

        first = key()
        self.expect(key() == first, "the key is another for the same source")
        (source / "build").mkdir()
        (source / "build/a.o").write_text("built")
        self.expect(key() == first, "the key depends on what was built")
        (source / "analyzer/a.cc").write_text("int b;\n")
        self.expect(key() != first, "the key is the same for another source")
        cache = self.action.split("uses: actions/cache")[1].split("- name:")[0]
        self.expect("steps.source.outputs.key" in cache, "the cache does not use the key")

    def check_install(self) -> None:
        tools = self.folder / "tools"
        tools.mkdir()
        (tools / "gh").write_text(GH)
        (tools / "gh").chmod(0o755)
        source = self.folder / "action"
        (source / "pyproject.toml").write_text(PROJECT)
        (source / "backend.py").write_text(BACKEND)
        (source / "dev").write_text("#!/bin/sh\n")
        (source / "dev").chmod(0o755)
        released, built, other = (write_wheel(self.folder, f"{number}.0") for number in (1, 2, 3))
        for ref, named, version in (("v1", "", 1), ("main", "", 2), ("", "", 2), ("v1", str(other), 3)):
            way = f"ref '{ref}', wheel '{named}'"
            variables = {
                "PATH": f"{tools}:{os.environ['PATH']}",
                "RELEASED": str(released),
                "COPIED": str(built),
                "ACTION_REF": ref,
                "ACTION_REPOSITORY": "o/shapewise",
                "WHEELS": str(self.folder / f"wheels-{ref}"),
                "WHEEL": named,
                "TARGET": str(self.folder / "target"),
            }
            if not named:
                done = self.step("Download or build the wheel", self.folder, **variables)
                self.expect(done.returncode == 0, f"{way}: {done.stdout}{done.stderr}")
            done = self.step("Install shapewise", self.folder, **variables)
            self.expect(done.stdout == f"shapewise {version}.0\n", f"{way}: {done.stdout}{done.stderr}")

    def check_paths(self) -> None:
        project = self.checkout / "models/vision"
        project.mkdir(parents=True)
        (project / "gate.py").write_text("import torch\n")
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "first")
        (project / "gate.py").write_text(MODEL)
        for inside, paths, base in (
            (self.checkout, ".", ""),
            (self.checkout, "models", "main"),
            (project, ".", ""),
            (project, "gate.py", "main"),
            (project.parent, "vision", "main"),
            (project, "../vision", ""),
        ):
            way = f"{paths} in {inside.relative_to(self.folder)}, base '{base}'"
            done = self.step("Check", inside, PATHS=paths, BASE=base)
            self.expect(done.returncode == 0 and self.output("status") == "1", f"{way}: {done.stderr}")
            name = "models/vision/gate.py"
            self.expect(f"file={name},line=6" in done.stdout, f"{way}: annotations: {done.stdout}")
            self.expect(f"`{name}:6:20`" in (self.folder / "summary").read_text().split("###")[-1], f"{way}: table")
            sarif = json.loads(Path(self.output("sarif")).read_text())
            places = [
                place["physicalLocation"]["artifactLocation"]["uri"]
                for result in sarif["runs"][0]["results"]
                for place in result["locations"]
            ]
            self.expect(places == [name], f"{way}: SARIF: {places}")


def main() -> int:
    if shutil.which("git") is None or shutil.which("bash") is None:
        print("check_action: git or bash is not there")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(str(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve(), Path(folder).resolve())
        runner.checkout.mkdir()
        runner.check_key()
        runner.check_install()
        runner.check_paths()
    for problem in runner.problems:
        print(f"check_action: {problem}")
    return 1 if runner.problems else 0


if __name__ == "__main__":
    sys.exit(main())
