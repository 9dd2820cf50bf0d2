#!/usr/bin/env python3
"""Builds the wheels of the tree, installs one into a fresh environment, and runs what is in it.

    tests/packaging/check_wheel.py ROOT FOLDER CC CXX LLVM

It is built by these compilers and this LLVM_DIR in build/packaging: as deep as build/dev, whose objects ccache takes
for its own then. FOLDER is for all the rest. On Debian 12, the program is linked again as `./dev wheel` does it, and
that wheel is installed.
Exit status: 0 the wheel is as it should be, 1 it is not, 77 pip, git or the network is not there.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from pathlib import Path

SKIPPED = 77
# The build does not need these.
LEFT_OUT = ("tests/", "corpora/", ".ci/")
# The C library, in the parts it once had, and what loads it.
LIBC = re.compile(r"(libc|libm|libpthread|libdl|librt)\.so\.\d+|ld-linux.*\.so\.\d+")
TEXT_OF_NO_NETWORK = (
    "No matching distribution found",
    "Could not find a version",
    "ConnectionError",
    "Max retries",
    "Failed to fetch",
    "does not have a Release file",  # a mirror that no longer has Debian 11
)
MODEL = "import torch\n\n\n@torch.compile\ndef f(x):\n    return x * x.sum().item()\n"
# A torch that is there, and cannot do anything.
NO_TORCH = "raise RuntimeError('this torch is made up')\n"
CALL = '{"function":"f","file":"model.py","line":4,"inputs":{"x":{"size":[4,8],"dtype":"float32"}}}\n'

problems: list[str] = []


def expect(condition: bool, text: str) -> None:
    """Notes `text` where `condition` does not hold."""
    if not condition:
        problems.append(text)
        print(f"check_wheel: {text}")


def run(command: list[str | Path], **options: object) -> subprocess.CompletedProcess[str]:
    """A command, with what it prints; an environment that is active here is not active there."""
    variables = {k: v for k, v in os.environ.items() if k not in ("VIRTUAL_ENV", "PYTHONPATH", "PYTHONHOME")}
    variables.update(options.pop("variables", {}))  # type: ignore[call-overload]
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, env=variables, **options
    )  # type: ignore[call-overload]


def build_inputs(root: Path, build: Path) -> set[str]:
    """The files of the tree that the build read or would read anew, as paths below `root`."""
    told = ""
    for query in (["deps"], ["inputs", "all"], ["query", "build.ninja"]):
        told += run(["ninja", "-C", build, "-t", *query]).stdout
    paths = {(build / line.strip(" |")).resolve() for line in told.splitlines() if line.strip(" |")}
    below = {path for path in paths if path.is_relative_to(root) and not path.is_relative_to(root / "build")}
    return {path.relative_to(root).as_posix() for path in below if path.is_file()}


def check_inputs(root: Path, build: Path) -> None:
    """What it takes is in git, and is not left out of what users get."""
    if shutil.which("ninja") is None:
        print("check_wheel: no ninja")
        return
    listed = run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
    if listed.returncode != 0:
        print("check_wheel: git does not tell which files there are")
        sys.exit(SKIPPED)
    inputs = build_inputs(root, build)
    expect("analyzer/cli/main.cc" in inputs, f"ninja does not tell of what the wheel is built: {len(inputs)} files")
    unknown = sorted(inputs - set(listed.stdout.split("\0")))
    expect(not unknown, f"the wheel is built of files that git does not have: {unknown}")
    left_out = sorted(name for name in inputs if name.startswith(LEFT_OUT))
    expect(not left_out, f"the wheel is built of files that are left out: {left_out}")


def options_of(*definitions: str) -> list[str]:
    """The options of pip that define these variables of CMake."""
    return [word for each in definitions for word in ("--config-settings", f"cmake.define.{each}")]


def build(command: list[str | Path], target: Path, variables: dict[str, str], *definitions: str) -> Path:
    """The wheel that the command puts into `target`, built with the flags of `./dev build`, whose objects ccache has."""
    shutil.rmtree(target, ignore_errors=True)
    flags = ["CMAKE_CXX_FLAGS_RELEASE=-Og -g1", "CMAKE_COMPILE_WARNING_AS_ERROR=ON", *definitions]
    if shutil.which("ccache"):
        flags.append("CMAKE_CXX_COMPILER_LAUNCHER=ccache")
    begin = time.monotonic()
    done = run([*command, *options_of(*flags)], variables=variables)
    print(f"check_wheel: built in {time.monotonic() - begin:.0f} s")
    if done.returncode != 0:
        text = done.stdout + done.stderr
        print(text[-6000:])
        # The backend comes from a registry, as the sources do that distributions do not package.
        is_offline = any(words in text for words in (*TEXT_OF_NO_NETWORK, "cannot be had from"))
        sys.exit(SKIPPED if is_offline else 1)
    return next(target.glob("*.whl"))


def build_wheels(root: Path, build_folder: Path, target: Path, compilers: dict[str, str], llvm: str) -> list[Path]:
    """The wheel of `pip install .`; on Debian 12 also the wheel of `./dev wheel`, from the same objects."""
    variables = dict(compilers)
    if shutil.which("ccache"):
        variables |= {"CCACHE_BASEDIR": str(root), "CCACHE_NOHASHDIR": "1", "CCACHE_SLOPPINESS": "locale"}
        variables["CCACHE_DEPEND"] = "1"
    command: list[str | Path] = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--quiet", "-w", target / "own", root]
    command += ["--config-settings", f"build-dir={build_folder}"]
    # The folder was linked for other machines in the last run.
    wheels = [build(command, target / "own", variables, f"LLVM_DIR={llvm}", "CMAKE_EXE_LINKER_FLAGS=")]
    targets = run(["apt-get", "indextargets", "Codename: bookworm"]) if shutil.which("apt-get") else None
    if targets and targets.stdout:
        script = root / "analyzer/cmake/build_wheel.sh"
        variables["BUILD"] = str(build_folder)
        wheels.append(build([script, target / "portable"], target / "portable", variables, f"LLVM_DIR={llvm}"))
    return wheels


def check_wheel(wheel: Path, version: str) -> None:
    """Name, tags and members."""
    expect(
        re.fullmatch(rf"shapewise-{re.escape(version)}-py3-none-(many)?linux_\w+\.whl", wheel.name) is not None,
        f"{wheel.name} is not a wheel for every Python 3 on this platform",
    )
    with zipfile.ZipFile(wheel) as archive:
        members = archive.namelist()
        metadata = archive.read(f"shapewise-{version}.dist-info/METADATA").decode()
    data = f"shapewise-{version}.data"
    for member in (
        f"{data}/scripts/shapewise",
        f"{data}/data/share/man/man1/shapewise.1",
        f"{data}/data/share/bash-completion/completions/shapewise",
        f"{data}/data/share/zsh/site-functions/_shapewise",
        f"{data}/data/share/fish/vendor_completions.d/shapewise.fish",
        "shapewise/__main__.py",
        "shapewise/py.typed",
        "shapewise/replay/__main__.py",
    ):
        expect(member in members, f"the wheel has no {member}")
    strange = [m for m in members if m.endswith((".a", ".so", ".h", ".cc")) or "test" in m]
    expect(not strange, f"the wheel has {strange}")
    needs = re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)
    expect(all("extra ==" in need for need in needs), f"the wheel needs {needs}")
    expect("Provides-Extra: torch" in metadata, "the wheel has no extra 'torch'")
    print(f"check_wheel: {wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")


def check_program(program: Path, is_portable: bool) -> None:
    """What the program needs of where it runs, and that it is stripped."""
    if shutil.which("readelf") is None:
        print("check_wheel: no readelf")
        return
    needed = re.findall(r"NEEDED.*\[(.*)\]", run(["readelf", "-d", program]).stdout)
    foreign = [name for name in needed if not LIBC.fullmatch(name)]
    expect(bool(needed) and not foreign, f"the program needs {foreign or 'nothing at all'}")
    expect(".symtab" not in run(["readelf", "-S", "-W", program]).stdout, "the program is not stripped")
    versions = set(re.findall(r"GLIBC_(2\.\d+)", run(["readelf", "-V", "-W", program]).stdout))
    newest = max(versions, key=lambda text: int(text.removeprefix("2.")))
    expect(not is_portable or int(newest.removeprefix("2.")) <= 31, f"the program needs glibc {newest}")
    print(f"check_wheel: needs {', '.join(needed)}; glibc {newest}; {program.stat().st_size / 1e6:.1f} MB")


def check_environment(environment: Path, version: str, log: Path, work: Path) -> None:
    """The package and the program, run from an environment that nobody activated."""
    python, program = environment / "bin/python3", environment / "bin/shapewise"
    (work / "model.py").write_text(MODEL, encoding="utf-8")
    told = run([program, "--version"]).stdout
    expect(told == f"shapewise {version}\n", f"--version prints {told!r}")
    lint = run([program, "lint", log], cwd=work)
    expect(lint.returncode == 1 and "SWC003" in lint.stdout, f"lint: {lint.returncode} {lint.stderr}")
    check = run([python, "-m", "shapewise", "check", "model.py"], cwd=work)
    expect(check.returncode == 1 and "SWP010" in check.stdout, f"-m shapewise check: {check.stdout} {check.stderr}")
    imported = run([python, "-c", "import shapewise; print(shapewise.VERSION)"], cwd=work)
    expect(imported.stdout == f"{version}\n", f"import shapewise: {imported.stderr}")

    # Replays run the package of the same wheel, with the interpreter in the program's folder.
    (work / "calls.jsonl").write_text(CALL, encoding="utf-8")
    command: list[str | Path] = [program, "replay", "--callable", "model.py:f", "--calls", "calls.jsonl"]
    command += ["--assume-no-questions", "--policy", "dynamic=True"]
    without = run(command, cwd=work)
    expect(f"{python}: torch is not installed" in without.stderr, f"replay without torch: {without.stderr}")
    fake = work / "fake"
    fake.mkdir(exist_ok=True)
    (fake / "torch.py").write_text(NO_TORCH, encoding="utf-8")
    broken = run(command, cwd=work, variables={"PYTHONPATH": str(fake)})
    reached = "this torch is made up" in " ".join(broken.stdout.split())
    expect(reached, f"replay does not run the package of the wheel: {broken.stdout} {broken.stderr}")

    # Without its program the package says so.
    program.rename(work / "moved")
    lost = run([python, "-m", "shapewise", "--version"], cwd=work)
    expect(lost.returncode == 2 and str(program) in lost.stderr, f"no program: {lost.returncode} {lost.stderr}")
    (work / "moved").rename(program)


def main() -> int:
    root, folder = (Path(argument).resolve() for argument in sys.argv[1:3])
    if shutil.which("git") is None or run([sys.executable, "-m", "pip", "--version"]).returncode != 0:
        print("check_wheel: no git, or no pip")
        return SKIPPED
    text = (root / "python/shapewise/__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^VERSION = "(.*)"$', text, re.MULTILINE)[1]  # type: ignore[index]
    build_folder = root / "build/packaging"
    compilers = {"CC": sys.argv[3], "CXX": sys.argv[4]}
    wheels = build_wheels(root, build_folder, folder / "wheels", compilers, sys.argv[5])
    check_inputs(root, build_folder)
    for wheel in wheels:
        check_wheel(wheel, version)

    environment, work = folder / "environment", folder / "work"
    for path in (environment, work):
        shutil.rmtree(path, ignore_errors=True)
    work.mkdir()
    made = run([sys.executable, "-m", "venv", environment])
    if made.returncode != 0:
        print(f"check_wheel: no virtual environment: {made.stdout}{made.stderr}")
        return SKIPPED
    installed = run([environment / "bin/pip", "install", "--quiet", "--no-index", wheels[-1]])
    expect(installed.returncode == 0, f"pip install: {installed.stderr}")
    if installed.returncode == 0:
        check_program(environment / "bin/shapewise", "manylinux" in wheels[-1].name)
        log = root / "corpora/captured/2.13.0/222-limit-cache/log.txt"
        check_environment(environment, version, log, work)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
