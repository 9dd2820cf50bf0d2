"""python -m shapewise: it becomes the program that belongs to the package."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import shapewise

PACKAGE = Path(shapewise.__file__).parent
SCRIPT = '#!/bin/sh\necho "$0" "$@"\nexit 7\n'


class Main(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()

    def package_in(self, folder: Path) -> None:
        """Puts the package into `folder`, as far as it is needed here."""
        (folder / "shapewise").mkdir(parents=True)
        for name in ("__init__.py", "__main__.py"):
            source = (PACKAGE / name).read_text(encoding="utf-8")
            (folder / "shapewise" / name).write_text(source, encoding="utf-8")

    def program_at(self, path: Path) -> Path:
        """Puts a program there that tells how it was called."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(SCRIPT, encoding="utf-8")
        path.chmod(0o755)
        return path

    def run_from(self, packages: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "shapewise", *arguments],
            env={"PYTHONPATH": str(packages), "HOME": str(self.root)},
            cwd=self.root,
            capture_output=True,
            text=True,
            check=False,
        )

    def test_the_program_of_the_same_environment_gets_the_arguments_and_gives_the_status(
        self,
    ) -> None:
        packages = self.root / "lib/python3.11/site-packages"
        self.package_in(packages)
        program = self.program_at(self.root / "bin/shapewise")
        done = self.run_from(packages, "lint", "a b.log", "--format=json")
        self.assertEqual(done.stdout, f"{program} lint a b.log --format=json\n")
        self.assertEqual(done.returncode, 7)

    def test_pip_install_target_puts_it_beside_the_package(self) -> None:
        self.package_in(self.root / "target")
        program = self.program_at(self.root / "target/bin/shapewise")
        self.assertEqual(self.run_from(self.root / "target").stdout, f"{program}\n")

    def test_a_checkout_has_it_in_a_build_folder_a_release_first(self) -> None:
        self.package_in(self.root / "python")
        (self.root / "CMakeLists.txt").touch()
        self.program_at(self.root / "build/dev/shapewise")
        release = self.program_at(self.root / "build/release/shapewise")
        self.assertEqual(self.run_from(self.root / "python").stdout, f"{release}\n")

    def test_a_file_that_cannot_be_run_is_passed_over(self) -> None:
        self.package_in(self.root / "python")
        (self.root / "CMakeLists.txt").touch()
        self.program_at(self.root / "build/release/shapewise").chmod(0o644)
        built = self.program_at(self.root / "build/dev/shapewise")
        self.assertEqual(self.run_from(self.root / "python").stdout, f"{built}\n")


if __name__ == "__main__":
    unittest.main()
