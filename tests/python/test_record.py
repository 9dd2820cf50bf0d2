"""What recording needs beside torch: the file, runs and counts, imports, bounded logs."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

from shapewise.record.files import CallFile, Line
from shapewise.record.history import Changes, History, Limits
from shapewise.record.imports import after_import
from shapewise.record.logs import Asked
from shapewise.record.room import BoundedFile, ProcessNote, Room

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "shapewise" / "record"


def records(path: Path) -> list[dict[str, Any]]:
    """The lines of a file of call records, without those that tell nothing."""
    told = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [record for record in told if "function" in record]


class Recorded:
    """A history, and the file that it is written to, as the recorder does it."""

    def __init__(self, folder: Path, **limits: int) -> None:
        self.ordered, self.counted = Changes(), Changes()
        self.history = History('"function": "f"', Limits(**limits), self.ordered, self.counted)
        self.file = CallFile(folder, "calls-1")
        self.runs = 0
        self.described = 0

    def call(self, size: int, times: int = 1) -> None:
        def describe() -> str:
            self.described += 1
            return f'{{"function": "f", "inputs": {{"n": {size}}}'

        for _ in range(times):
            self.runs += self.history.add(size, describe, self.runs)

    def write(self) -> None:
        new, changed, _ = self.ordered.take()
        self.file.append(new)
        self.file.count(changed)
        new, changed, given_up = self.counted.take()
        self.file.give_up(given_up)
        self.file.put(new)
        self.file.count(changed)

    def told(self) -> list[tuple[Any, ...]]:
        """(n, times, whether in order) of each line; of dropped calls (calls, distinct)."""
        lines: list[tuple[Any, ...]] = []
        for record in records(self.file.path):
            if "dropped" in record:
                lines.append((record["dropped"]["calls"], record["dropped"]["distinct"]))
            else:
                is_ordered = record.get("order", True)
                lines.append((record["inputs"]["n"], record["times"], is_ordered))
        return lines


class Calls(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def test_equal_calls_in_a_row_are_one_line(self) -> None:
        recorded = Recorded(self.folder)
        for size in (3, 3, 5, 3):
            recorded.call(size)
        recorded.write()
        self.assertEqual(recorded.told(), [(3, 2, True), (5, 1, True), (3, 1, True)])
        self.assertEqual(recorded.described, 2)

    def test_a_line_that_was_written_is_counted_up_in_place(self) -> None:
        recorded = Recorded(self.folder)
        recorded.call(3, times=7)
        recorded.write()
        size = recorded.file.path.stat().st_size
        recorded.call(3, times=993)
        self.assertEqual(recorded.told(), [(3, 7, True)])
        recorded.write()
        self.assertEqual(recorded.told(), [(3, 1000, True)])
        self.assertEqual(recorded.file.path.stat().st_size, size)

    def test_a_run_that_ended_between_two_writes_is_counted_to_its_end(self) -> None:
        recorded = Recorded(self.folder)
        recorded.call(3)
        recorded.write()
        recorded.call(3)
        recorded.call(4)
        recorded.write()
        self.assertEqual(recorded.told(), [(3, 2, True), (4, 1, True)])

    def test_a_run_beyond_the_limit_of_a_line_continues_in_another(self) -> None:
        with mock.patch("shapewise.record.history.MOST_TIMES", 4):
            recorded = Recorded(self.folder)
            recorded.call(3, times=9)
            recorded.write()
            self.assertEqual([line[1] for line in recorded.told()], [4, 4, 1])

    def test_order_is_kept_for_the_first_runs_and_all_calls_are_counted(self) -> None:
        recorded = Recorded(self.folder, ordered=3)
        for size in (1, 2, 1, 2, 1, 7, 7):
            recorded.call(size)
        recorded.write()
        self.assertEqual(
            recorded.told(),
            [
                *((1, 1, True), (2, 1, True), (1, 1, True)),
                *((2, 1, False), (1, 1, False), (7, 2, False)),
            ],
        )

    def test_runs_of_other_functions_count_too(self) -> None:
        recorded = Recorded(self.folder, ordered_of_all=10)
        recorded.runs = 9
        recorded.call(1)
        recorded.call(2)
        recorded.write()
        self.assertEqual(recorded.told(), [(1, 1, True), (2, 1, False)])

    def test_the_less_frequent_half_is_dropped_and_counted(self) -> None:
        recorded = Recorded(self.folder, ordered=0, distinct=4)
        for size, times in ((10, 5), (11, 1), (12, 9), (13, 2)):
            recorded.call(size, times)
        recorded.write()
        recorded.call(14)
        recorded.write()
        told = recorded.told()
        self.assertIn((3, 2), told)  # calls, distinct: 11 and 13
        rest = {line[0]: line[1] for line in told if len(line) == 3}
        self.assertEqual(rest, {10: 5, 12: 9, 14: 1})

    def test_no_call_is_lost_and_the_file_does_not_grow_with_distinct_calls(self) -> None:
        recorded = Recorded(self.folder, ordered=5, distinct=8)
        total, sizes = 0, []
        for step in range(4000):
            recorded.call(step if step % 3 else step % 4)
            total += 1
            if step % 10 == 0:
                recorded.write()
                sizes.append(recorded.file.path.stat().st_size)
        recorded.write()
        told = recorded.told()
        counted = sum(line[1] for line in told if len(line) == 3)
        dropped = sum(line[0] for line in told if len(line) == 2)
        self.assertEqual(counted + dropped, total)
        self.assertGreater(dropped, 0)
        self.assertEqual(sizes[100], sizes[-1])

    def test_a_call_that_does_not_fit_is_none(self) -> None:
        recorded = Recorded(self.folder)
        self.assertEqual(recorded.history.add(1, lambda: None, 0), 0)
        recorded.write()
        self.assertEqual(recorded.told(), [])

    def test_a_full_disk_leaves_whole_lines(self) -> None:
        recorded = Recorded(self.folder)
        recorded.call(1)
        recorded.write()
        real = os.pwrite
        room = [5]

        def pwrite(file: int, data: Any, offset: int) -> int:
            if room[0] <= 0:
                raise OSError(28, "No space left on device")
            part = bytes(data)[: room[0]]
            room[0] -= len(part)
            return real(file, part, offset)

        recorded.call(2)
        with mock.patch("os.pwrite", pwrite), self.assertRaises(OSError):
            recorded.write()
        self.assertEqual(recorded.told(), [(1, 1, True)])

    def test_two_files_of_a_process_have_two_names(self) -> None:
        names = [CallFile(self.folder, "calls-1").path.name for _ in range(2)]
        self.assertEqual(names, ["calls-1.jsonl", "calls-1-2.jsonl"])

    def test_a_line_has_its_numbers_where_they_are_written_over(self) -> None:
        line = Line('{"a": ', ', "b": ', "}")
        file = CallFile(self.folder, "calls-1")
        file.append([(line, [1, 22])])
        file.count([(line, [333, 4444])])
        last = file.path.read_text().splitlines()[-1]
        self.assertEqual(json.loads(last), {"a": 333, "b": 4444})


class Imports(unittest.TestCase):
    def test_an_action_runs_once_the_module_has_run(self) -> None:
        seen: list[str] = []
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "late_module.py").write_text("VALUE = 1\nSPEC = __spec__.loader\n")
            sys.path.insert(0, folder)
            before = list(sys.meta_path)
            try:

                def action(module: ModuleType) -> None:
                    seen.append(type(module.SPEC).__name__ + str(module.VALUE))

                after_import({"late_module": action})
                import late_module  # type: ignore[import-not-found]

                self.assertEqual(seen, ["SourceFileLoader1"])
                self.assertEqual(late_module.__spec__.loader, late_module.SPEC)
                self.assertEqual(sys.meta_path, before)
            finally:
                sys.path.remove(folder)
                sys.modules.pop("late_module", None)

    def test_a_module_that_is_there_is_not_waited_for(self) -> None:
        seen: list[str] = []
        after_import({"json": lambda module: seen.append(module.__name__)})
        self.assertEqual(seen, ["json"])


class Bounded(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.note = ProcessNote(self.folder / ".processes", "python t.py")

    def note_members(self) -> dict[str, Any]:
        path = self.folder / ".processes" / f"{os.getpid()}.json"
        told: dict[str, Any] = json.loads(path.read_text())
        return told

    def room(self, most_bytes: int) -> Room:
        folder = self.folder / "logs"
        folder.mkdir(exist_ok=True)
        with mock.patch.dict(os.environ):
            os.environ.pop("LOCAL_WORLD_SIZE", None)
            return Room([folder], most_bytes, self.note)

    def test_a_file_beyond_its_share_is_begun_anew_and_keeps_one_older(self) -> None:
        room = self.room(4000)  # a share of 1000
        path = self.folder / "logs" / "log-1.txt"
        file = BoundedFile(path, room, lambda: "head\n")
        for number in range(300):
            file.write(f"line {number:04d}\n")
        newer, older = path.read_text(), path.with_name("log-1.txt.1").read_text()
        self.assertTrue(newer.startswith("head\n"))
        self.assertTrue(older.startswith("head\n"))
        lines = (older + newer).replace("head\n", "").splitlines()
        self.assertEqual(lines, [f"line {n:04d}" for n in range(300 - len(lines), 300)])
        self.assertLessEqual(len(newer), 1000)
        dropped = self.note_members()["dropped_bytes"]
        self.assertEqual(dropped + len(newer) + len(older), 3000 + 5 * ((3000 // 1000) + 0))

    def test_files_of_processes_that_have_ended_go_first(self) -> None:
        gone = subprocess.Popen([sys.executable, "-c", ""])
        gone.wait()
        room = self.room(4000)
        for number in range(4):
            (self.folder / "logs" / f"log-rank{number}-{gone.pid}.txt").write_text("x" * 1200)
        self.assertTrue(room.make())
        left = list((self.folder / "logs").iterdir())
        self.assertEqual(len(left), 3)
        self.assertEqual(self.note_members()["dropped_bytes"], 1200)

    def test_what_running_processes_have_stays_and_writing_ends(self) -> None:
        room = self.room(4000)
        (self.folder / "logs" / f"log-{os.getppid()}.txt").write_text("x" * 5000)
        file = BoundedFile(self.folder / "logs" / f"log-{os.getpid()}.txt", room)
        for _ in range(100):
            file.write("y" * 99 + "\n")
        self.assertIn("no room", self.note_members()["stopped"])
        self.assertGreater(self.note_members()["dropped_bytes"], 0)
        self.assertTrue((self.folder / "logs" / f"log-{os.getppid()}.txt").exists())

    def test_an_unwritable_folder_is_reported(self) -> None:
        room = self.room(4000)
        file = BoundedFile(self.folder / "logs", room)  # a folder, and no file
        file.write("x")
        self.assertIn("logs", self.note_members()["stopped"])


class Logging(unittest.TestCase):
    """What the user asked for passes, what we asked for does not."""

    def asked(self, levels: dict[str, Any]) -> Asked:
        registry = mock.Mock()
        registry.is_off_by_default = lambda name: name == "perf_hints"
        internal = mock.Mock(log_registry=registry)
        return Asked(internal, {"recompiles", "perf_hints"}, levels)

    def passes(self, levels: dict[str, Any], artifact: str, level: int) -> bool:
        name = f"torch_of_test._dynamo.guards.__{artifact}"
        logging.getLogger(name).artifact_name = artifact  # type: ignore[attr-defined]
        record = logging.LogRecord(name, level, "f.py", 1, "text", (), None)
        return bool(self.asked(levels).filter(record))

    def test_ours_is_kept_from_the_screen(self) -> None:
        self.assertFalse(self.passes({}, "recompiles", logging.DEBUG))
        self.assertFalse(self.passes({}, "perf_hints", logging.INFO))

    def test_what_the_user_would_have_seen_is_seen(self) -> None:
        self.assertTrue(self.passes({}, "graph_breaks", logging.DEBUG))
        self.assertTrue(self.passes({}, "recompiles", logging.WARNING))
        dynamo = {"torch_of_test._dynamo": logging.DEBUG}
        self.assertTrue(self.passes(dynamo, "recompiles", logging.DEBUG))
        self.assertTrue(self.passes({"torch_of_test._dynamo": "DEBUG"}, "recompiles", 10))
        self.assertFalse(self.passes(dynamo, "perf_hints", logging.DEBUG))


class StartUp(unittest.TestCase):
    """The hook in a process of its own, without torch."""

    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        hook = self.folder / ".hook"
        (hook / "_shapewise" / "record").mkdir(parents=True)
        for file in PACKAGE.glob("*.py"):
            place = hook if file.name == "sitecustomize.py" else hook / "_shapewise" / "record"
            (place / file.name).write_bytes(file.read_bytes())
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(hook),
            "SHAPEWISE_RUN_FOLDER": str(self.folder),
        }

    def run_python(self, code: str, *more: str) -> str:
        environment = dict(self.environment)
        environment["PYTHONPATH"] = os.pathsep.join((environment["PYTHONPATH"], *more))
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment, capture_output=True, text=True, check=True, timeout=120,
        )  # fmt: skip
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_a_process_without_torch_shows_nothing_of_it(self) -> None:
        out = self.run_python("import sys; print([p for p in sys.path if '.hook' in p])")
        self.assertEqual(out, "[]\n")
        self.assertFalse((self.folder / ".processes").exists())

    def test_the_sitecustomize_behind_it_is_imported(self) -> None:
        other = self.folder / "other"
        other.mkdir()
        (other / "sitecustomize.py").write_text("print('theirs')\n")
        out = self.run_python("import sitecustomize; print(sitecustomize.__file__)", str(other))
        self.assertEqual(out, f"theirs\n{other / 'sitecustomize.py'}\n")

    def test_it_begins_when_torch_does(self) -> None:
        torch = self.folder / "fake" / "torch" / "_logging"
        torch.mkdir(parents=True)
        (torch.parent / "__init__.py").write_text("from torch import _logging\n")
        (torch / "__init__.py").write_text("from torch._logging import _internal\n")
        (torch / "_internal.py").write_text("LOG_TRACE_HANDLER = 1\ndef _init_logs(): pass\n")
        self.run_python("import torch", str(self.folder / "fake"))
        (note,) = (self.folder / ".processes").glob("*.json")
        self.assertEqual(json.loads(note.read_text())["state"], "torch")

    def test_nothing_of_the_package_is_imported_by_its_name(self) -> None:
        for file in PACKAGE.glob("*.py"):
            text = file.read_text(encoding="utf-8")
            self.assertNotIn("from shapewise", text, file.name)
            self.assertNotIn("\nimport shapewise", text, file.name)


class WrittenPrograms(unittest.TestCase):
    """Programs that `replay` writes hold replay/values.py as it is."""

    def test_values_import_nothing_of_the_package(self) -> None:
        text = (PACKAGE.parent / "replay" / "values.py").read_text(encoding="utf-8")
        self.assertNotIn("from .", text)
        owner = [line for line in text.splitlines() if line.startswith("OWNER = ")]
        recorded = (PACKAGE / "describe.py").read_text(encoding="utf-8").splitlines()
        self.assertEqual(owner, [line for line in recorded if line.startswith("OWNER = ")])


if __name__ == "__main__":
    unittest.main()
