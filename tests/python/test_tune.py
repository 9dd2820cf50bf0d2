"""Jobs of `shapewise tune`, and patched texts of source files. Needs no torch."""

from __future__ import annotations

import json
import os
import py_compile
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from shapewise.replay.errors import ReplayError
from shapewise.tune.job import read_job
from shapewise.tune.last_call import agree_on_last_call, read_last_call

PACKAGES = Path(__file__).resolve().parents[2] / "python"


class Jobs(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.path = Path(scratch.name) / "job.json"

    def job(self, *policies: str) -> None:
        actions = [{"policy": policy, "function": "step"} for policy in policies]
        given = {"results": "tune", "actions": actions, "backend": "eager", "steps": 9}
        rest = {"seconds": 1.5, "patches": {}, "parent": 1}
        self.path.write_text(json.dumps({**given, **rest}), encoding="utf-8")

    def test_actions_are_read_as_predict_reads_them(self) -> None:
        self.job("mark_dynamic(x, 1) + limit 64", "dynamic=True")
        first, second = read_job(self.path).actions
        self.assertEqual([(mark.source, mark.dim) for mark in first.policy.marks], [("x", 1)])
        self.assertEqual(first.policy.config, {"recompile_limit": 64})
        self.assertEqual(second.arguments, {"dynamic": True})
        self.assertEqual(second.function, "step")

    def test_a_default_replaces_what_the_program_says(self) -> None:
        self.job("dynamic=None", "limit 4")
        first, second = read_job(self.path).actions
        self.assertEqual(first.arguments, {"dynamic": None})
        self.assertEqual(second.arguments, {})

    def test_what_cannot_be_injected_is_an_error(self) -> None:
        for policy in ("serve(x, 1, 1-64:dynamic)", "buckets(x:0, y:0, 8x8)", "no_such_word"):
            self.job(policy)
            with self.assertRaises(ReplayError):
                read_job(self.path)


class LastCall(unittest.TestCase):
    def test_all_processes_take_the_first_proposal(self) -> None:
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            self.assertIsNone(read_last_call(folder))
            self.assertEqual(agree_on_last_call(folder, 7), 7)
            self.assertEqual(agree_on_last_call(folder, 9), 7)
            self.assertEqual(read_last_call(folder), 7)
            self.assertEqual([path.name for path in folder.iterdir()], ["last-call"])

    def test_a_folder_that_is_gone_leaves_each_process_its_own(self) -> None:
        self.assertEqual(agree_on_last_call(Path("/nonexistent"), 7), 7)


class Patches(unittest.TestCase):
    """Programs that run patched texts, in processes of their own."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name).resolve()
        self.write("main.py", "import helper, sys\nprint('old', helper.TEXT, __file__, sys.argv)\n")
        self.write("helper.py", "TEXT = 'old'\n")
        self.write(
            "main.new", "import helper, sys\nprint('new', helper.TEXT, __file__, sys.argv)\n"
        )
        self.write("helper.new", "TEXT = 'new'\n")
        patches = {
            str(self.folder / f"{n}.py"): str(self.folder / f"{n}.new") for n in ("main", "helper")
        }
        self.write(
            "site/sitecustomize.py",
            f"from shapewise.tune.patches import serve_patches\nserve_patches({patches!r})\n",
        )

    def write(self, name: str, text: str) -> None:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def run_python(self, *arguments: str) -> str:
        path = os.pathsep.join((str(self.folder / "site"), str(PACKAGES)))
        done = subprocess.run(
            [sys.executable, *arguments], cwd=self.folder, env={**os.environ, "PYTHONPATH": path},
            capture_output=True, text=True, check=True, timeout=60,
        )  # fmt: skip
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_a_script_and_what_it_imports(self) -> None:
        main = str(self.folder / "main.py")
        self.assertEqual(self.run_python("main.py", "a"), f"new new {main} ['main.py', 'a']\n")

    def test_a_module_that_is_run(self) -> None:
        main = str(self.folder / "main.py")
        self.assertEqual(self.run_python("-m", "main"), f"new new {main} ['{main}']\n")

    def test_bytecode_of_the_file_is_not_used(self) -> None:
        py_compile.compile(str(self.folder / "helper.py"))
        self.assertEqual(self.run_python("-c", "import helper; print(helper.TEXT)"), "new\n")

    def test_files_are_not_changed(self) -> None:
        self.run_python("main.py")
        self.assertEqual((self.folder / "helper.py").read_text(encoding="utf-8"), "TEXT = 'old'\n")


if __name__ == "__main__":
    unittest.main()
