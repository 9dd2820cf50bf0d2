#!/usr/bin/env python3
"""Installs a build into a folder, makes its .deb, unpacks that, and runs what is in it.

    tests/packaging/check_deb.py CMAKE CPACK BUILD ROOT

Exit status: 0 the package is as it should be, 1 it is not, 77 dpkg is not there.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
FILES = (
    "usr/bin/shapewise",
    "usr/share/bash-completion/completions/shapewise",
    "usr/share/doc/shapewise/README.md",
    "usr/share/doc/shapewise/copyright",
    "usr/share/fish/vendor_completions.d/shapewise.fish",
    "usr/share/man/man1/shapewise.1",
    "usr/share/zsh/vendor-completions/_shapewise",
)


INSTALLED = (
    "bin/shapewise",
    "share/bash-completion/completions/shapewise",
    "share/doc/shapewise/LICENSE",
    "share/doc/shapewise/README.md",
    "share/fish/vendor_completions.d/shapewise.fish",
    "share/man/man1/shapewise.1",
    "share/zsh/site-functions/_shapewise",
)


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)


def files_below(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def problems_of_install(cmake: str, build: Path, folder: Path) -> list[str]:
    """What is wrong with `cmake --install`, but for what is built with torch only."""
    for component in ("program", "manual", "completions", "zsh", "documents"):
        done = run(cmake, "--install", build, "--prefix", folder, "--component", component)
        if done.returncode != 0:
            return [done.stderr]
    files = files_below(folder)
    return [] if files == sorted(INSTALLED) else [f"cmake --install gives {files}"]


def problems_of(package: Path, root: Path, version: str, folder: Path) -> list[str]:
    """What is wrong with the package."""
    found = []
    fields = dict(re.findall(r"^ ?([A-Z][\w-]*): (.*)$", run("dpkg-deb", "--field", package).stdout, re.MULTILINE))
    architecture = run("dpkg", "--print-architecture").stdout.strip()
    wanted = {"Package": "shapewise", "Version": version, "Architecture": architecture, "Section": "devel"}
    found += [f"{key} is {fields.get(key)}, not {value}" for key, value in wanted.items() if fields.get(key) != value]
    if package.name != f"shapewise_{version}_{architecture}.deb":
        found.append(f"the package is called {package.name}")
    # Found out by dpkg-shlibdeps from what the program is linked with.
    for library in ("libc6", "libstdc++6"):
        if library not in fields.get("Depends", ""):
            found.append(f"it does not depend on {library}: {fields.get('Depends')}")
    if not re.fullmatch(r".+ <.+@.+>", fields.get("Maintainer", "")):
        found.append(f"no maintainer: {fields.get('Maintainer')}")
    if not fields.get("Description"):
        found.append("no description")
    done = run("dpkg-deb", "--extract", package, folder)
    if done.returncode != 0:
        return [*found, done.stderr]
    files = files_below(folder)
    if files != sorted(FILES):
        found.append(f"it holds {files}")
    program = folder / FILES[0]
    if run(program, "--version").stdout != f"shapewise {version}\n":
        found.append("the program does not tell its version")
    lint = run(program, "lint", root / "corpora/captured/2.13.0/222-limit-cache/log.txt")
    if lint.returncode != 1 or "SWC003" not in lint.stdout:
        found.append(f"lint: {lint.returncode} {lint.stderr}")
    for path in folder.rglob("*"):
        if str(root) in (path.read_text(errors="replace") if path.suffix in (".1", ".fish") else ""):
            found.append(f"{path} names the folder of the build")
    print(f"check_deb: {package.name}: {package.stat().st_size / 1e6:.1f} MB; Depends: {fields.get('Depends')}")
    return found


def main() -> int:
    cmake, cpack, build, root = *sys.argv[1:3], Path(sys.argv[3]), Path(sys.argv[4])
    if not all(map(shutil.which, ("dpkg", "dpkg-deb", "dpkg-shlibdeps"))):
        print("check_deb: no dpkg")
        return SKIPPED
    text = (root / "python/shapewise/__init__.py").read_text(encoding="utf-8")
    version = re.search(r'^VERSION = "(.*)"$', text, re.MULTILINE)[1]  # type: ignore[index]
    with tempfile.TemporaryDirectory() as folder:
        made = run(cpack, "--config", build / "CPackConfig.cmake", "-G", "DEB", "-B", folder)
        packages = list(Path(folder).glob("*.deb"))
        if made.returncode != 0 or len(packages) != 1:
            print(f"check_deb: {made.stdout}{made.stderr}")
            return 1
        found = problems_of_install(cmake, build, Path(folder, "installed"))
        found += problems_of(packages[0], root, version, Path(folder, "unpacked"))
    for problem in found:
        print(f"check_deb: {problem}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
