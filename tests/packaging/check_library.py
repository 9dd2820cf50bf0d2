#!/usr/bin/env python3
"""Installs the library into a folder, and builds and runs examples/cpp against it, as a user would.

    tests/packaging/check_library.py CMAKE BUILD ROOT PROGRAM CC CXX LLVM

Exit status: 0 the programs print what PROGRAM prints, 1 they do not.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

# Of no include of a program that uses the library.
FOREIGN = ("llvm", "nlohmann", "CLI", "simdjson")
FLAGS = "-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"

problems: list[str] = []


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def expect(holds: bool, what: str) -> None:
    if not holds:
        problems.append(what)


def must(*command: str | Path) -> str:
    """What the command prints; ends the test if it fails."""
    done = run(*command)
    if done.returncode != 0:
        print(f"check_library: {' '.join(map(str, command))}\n{(done.stdout + done.stderr)[-4000:]}")
        sys.exit(1)
    return done.stdout


def check_includes(root: Path, installed: Path, compiler: str) -> None:
    """The headers need nothing but the standard library."""
    includes = must(compiler, "-std=c++20", "-M", "-I", installed / "include", root / "examples/cpp/lint_run.cc")
    headers = [Path(word) for word in includes.split() if word.endswith(".h")]
    expect(any(path.name == "analyze.h" for path in headers), f"analyze.h is not included: {includes}")
    foreign = [str(path) for path in headers if set(path.parts) & set(FOREIGN)]
    expect(not foreign, f"the headers include {foreign}")


def check_runs(root: Path, programs: Path, program: str, folder: Path) -> None:
    log = root / "corpora/captured/2.13.0/222-limit-cache/log.txt"
    report = folder / "report.json"
    lint = run(programs / "lint_run", log, report)
    expect(lint.returncode == 1, f"lint_run: status {lint.returncode}: {lint.stderr}")
    expect(": SWC003 attend hit recompile_limit (8)" in lint.stdout, f"lint_run: {lint.stdout}")
    expect(report.read_text() == run(program, "lint", "--format=json", log).stdout, "another report than the program's")
    missing = run(programs / "lint_run", folder / "missing.log")
    told = run(program, "lint", folder / "missing.log").stderr
    expect((missing.returncode, "shapewise: " + missing.stderr) == (2, told), f"missing.log: {missing.stderr}")

    sizes = folder / "sizes.txt"
    sizes.write_text("".join(f"{size}\n" for size in (3, 5, 3, 5)))
    plan = run(programs / "pad_sizes", sizes)
    expect((plan.returncode, plan.stdout) == (0, "3\n5\n"), f"pad_sizes: {plan.stdout}{plan.stderr}")
    sizes.write_text("")
    expect(run(programs / "pad_sizes", sizes).returncode == 2, "pad_sizes: an empty file gives a plan")


def main() -> int:
    cmake, build, root, program, c_compiler, compiler, llvm = sys.argv[1:]
    must(cmake, "--build", build, "--target", "shapewise_archive")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        installed, built = folder / "installed", folder / "built"
        must(cmake, "--install", build, "--component", "development", "--prefix", installed)
        for path in installed.rglob("*.cmake"):
            expect(str(root) not in path.read_text(), f"{path.name} names the folder of the build")
        shutil.copytree(Path(root, "examples/cpp"), folder / "examples")
        must(
            *(cmake, "-S", folder / "examples", "-B", built, f"-DCMAKE_PREFIX_PATH={installed}"),
            *(f"-DCMAKE_C_COMPILER={c_compiler}", f"-DCMAKE_CXX_COMPILER={compiler}"),
            *(f"-DCMAKE_CXX_FLAGS={FLAGS}", f"-DLLVM_DIR={llvm}"),
        )
        must(cmake, "--build", built)
        check_includes(Path(root), installed, compiler)
        check_runs(Path(root), built, program, folder)
    for problem in problems:
        print(f"check_library: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
