#!/usr/bin/env python3
"""Compiles the searches that have vector code of their own for AArch64, and runs their unit tests in an emulator.

Usage: check_aarch64.py ROOT

Needs Debian's g++-aarch64-linux-gnu, qemu-user and catch2; else it is skipped (77). These sources use the standard
library only, so no library for AArch64 is needed besides that of the compiler.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COMPILER = "aarch64-linux-gnu-g++"
EMULATOR = "qemu-aarch64"
CATCH = Path("/usr/include/catch2")
SOURCES = ("literal_set", "text_scan")


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    for program in (COMPILER, EMULATOR):
        if shutil.which(program) is None:
            print(f"skipped: {program} is not there")
            return 77
    if not CATCH.is_dir():
        print("skipped: catch2 in /usr/include is not there")
        return 77
    root = Path(arguments[0]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        # Of /usr/include only Catch2: the C library there is that of this machine.
        headers = Path(folder, "include")
        headers.mkdir()
        (headers / "catch2").symlink_to(CATCH)
        entry = Path(folder, "main.cc")
        entry.write_text("#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n", encoding="utf-8")
        files = [entry]
        for name in SOURCES:
            files += [root / f"analyzer/support/{name}.cc", root / f"tests/unit/support/{name}_test.cc"]
        tests = Path(folder, "tests")
        command = [COMPILER, "-std=gnu++20", "-O1", "-static", "-o", tests, f"-I{root / 'analyzer'}"]
        command += [f"-I{root / 'tests'}", "-isystem", headers, *files]
        if subprocess.run(command).returncode != 0:
            return 1
        return subprocess.run([EMULATOR, tests]).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
