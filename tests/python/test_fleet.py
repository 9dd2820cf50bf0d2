"""Fleets without the program: tables, owners, jobs, engines."""

from __future__ import annotations

import json
import random
import tempfile
import time
import unittest
from pathlib import Path

from shapewise.fleet.engines import LocalEngine
from shapewise.fleet.errors import FleetError
from shapewise.fleet.jobs import find_jobs
from shapewise.fleet.owners import Owners
from shapewise.fleet.program import find_program
from shapewise.fleet.record import CauseSeen, JobRecord, JobResult, job_result
from shapewise.fleet.table import fold
from shapewise.fleet.work import Partial, Settings, merge_parts, report_job


def cause(chance: random.Random, number: int) -> CauseSeen:
    """A finding; equal numbers are one cause."""
    return CauseSeen(
        fingerprint=f"{number:016x}",
        rule=f"SWG{number:03}",
        name=chance.choice(("int-argument", "slow-compiling-step")),
        severity=chance.choice(("note", "warning", "error")),
        kind="recompile",
        message=chance.choice(("a", "b", "c")),
        function="forward",
        file=chance.choice(("/app/a.py", "/app/b.py", None)),
        line=chance.choice((1, 2, None)),
        events=chance.randrange(1, 9),
        micros=chance.choice((None, 1, 333_333, 10_000_000)),
        ranks=tuple(sorted(chance.sample(range(8), chance.randrange(3)))),
    )


def record(chance: random.Random, name: str) -> JobRecord:
    """A job that may have failed."""
    if chance.random() < 0.2:
        return JobRecord(name, None, ("it is broken", "and so is this"))
    numbers = chance.sample(range(12), chance.randrange(6))
    causes = tuple(cause(chance, number) for number in numbers)
    micros = chance.choice((None, 5_000_000))
    problems = ("one input is cut",) if chance.random() < 0.2 else ()
    told = JobResult(1, chance.randrange(100), tuple(range(chance.randrange(3))), 7, micros, causes)
    return JobRecord(name, told, problems)


class TableTest(unittest.TestCase):
    def test_order_makes_no_difference(self) -> None:
        for seed in range(12):
            chance = random.Random(seed)
            records = [record(chance, f"job{i}") for i in range(30)]
            expected = fold(records).json()
            for _ in range(5):
                chance.shuffle(records)
                self.assertEqual(fold(records).json(), expected)
            self.assertEqual(fold(records).json(), json_again(expected))

    def test_sums_are_those_of_the_jobs(self) -> None:
        for seed in range(12):
            chance = random.Random(seed)
            records = [record(chance, f"job{i}") for i in range(30)]
            document = fold(records).document()
            seen = [each for job in records if job.result for each in job.result.causes]
            rows = document["causes"]
            self.assertEqual(sum(row["events"] for row in rows), sum(c.events for c in seen))
            self.assertEqual(
                round(sum(row["gpu_seconds"] or 0 for row in rows) * 1_000_000),
                sum(c.micros or 0 for c in seen),
            )
            problems = sum(len(job.problems) for job in records)
            self.assertEqual(len(document["failures"]), problems)
            statuses = [row["status"] for row in document["jobs"]]
            self.assertEqual(statuses.count("failed"), sum(job.result is None for job in records))

    def test_unknown_is_null(self) -> None:
        told = JobResult(1, 3, (), 0, None, (cause_of(micros=None, ranks=()),))
        document = fold([JobRecord("job", told)]).document()
        self.assertIsNone(document["causes"][0]["gpu_seconds"])
        self.assertIsNone(document["causes"][0]["ranks"])
        self.assertIsNone(document["summary"]["lost_gpu_hours"])
        self.assertIsNone(document["jobs"][0]["compile_seconds"])

    def test_ranks_are_pairs_of_job_and_rank(self) -> None:
        twice = (cause_of(ranks=(0, 1)), cause_of(ranks=(1, 2)))
        told = JobResult(1, 3, (0, 1, 2), 0, None, twice)
        rows = fold([JobRecord("a", told), JobRecord("b", told)]).causes
        self.assertEqual([(row.ranks, row.jobs, row.events) for row in rows], [(6, 2, 8)])

    def test_seconds_count_once(self) -> None:
        # A slow step in which something was compiled: the compilation has these seconds.
        slow = cause_of(name="slow-compiling-step", fingerprint="f", micros=9_000_000)
        told = JobResult(1, 3, (), 0, 2_000_000, (cause_of(micros=2_000_000), slow))
        job = fold([JobRecord("job", told)]).jobs[0]
        self.assertEqual((job.lost_gpu_seconds, job.compile_seconds), (2.0, 2.0))

    def test_text_of_logs_is_harmless(self) -> None:
        told = JobResult(1, 3, (), 0, None, (cause_of(message="\x1b[31mred\x07"),))
        text = fold([JobRecord("a\nb", told), JobRecord("c\x1b", None, ("no\x1b",))]).text()
        self.assertNotIn("\x1b", text)
        self.assertIn("?[31mred?", text)
        self.assertIn("1 job", fold([JobRecord("a", told)]).text())


def cause_of(**changes: object) -> CauseSeen:
    """A cause with some members of one's own."""
    plain = vars(cause(random.Random(1), 1)) | {"events": 2, "name": "int-argument"}
    return CauseSeen(**(plain | changes))


def json_again(text: str) -> str:
    """The document, read and written: nothing in it has an order of its own."""
    from shapewise.fleet.writers import json_text

    return json_text(json.loads(text))


class OwnersTest(unittest.TestCase):
    def test_patterns(self) -> None:
        owners = Owners(
            [
                "* @all  # everybody",
                "",
                "[section]",
                "/src/moe/ @moe @routing",
                "*.cu @kernels",
                "docs/**/gate.py @docs",
                "/home/ann/app/train.py ann@example.org",
                "/src/moe/free.py",
                "with\\ blank/ @blank",
            ]
        )
        for path, expected in {
            "/x/y.py": ("@all",),
            "/home/ann/src/moe/gate.py": ("@moe", "@routing"),
            "src/moe/gate.py": ("@moe", "@routing"),
            "/home/ann/src/moen/gate.py": ("@all",),
            "/srv/k.cu": ("@kernels",),
            "/srv/docs/a/b/gate.py": ("@docs",),
            "/srv/docs/gate.py": ("@docs",),
            "/home/ann/app/train.py": ("ann@example.org",),
            "/a/src/moe/free.py": (),
            "C:\\with blank\\m.py": ("@blank",),
            None: (),
        }.items():
            self.assertEqual(owners.of(path), expected, path)

    def test_no_such_file(self) -> None:
        with self.assertRaises(FleetError):
            Owners.of_file("/no/such/file")


class JobsTest(unittest.TestCase):
    def test_parts_cover_each_file_once(self) -> None:
        chance = random.Random(3)
        with tempfile.TemporaryDirectory() as made:
            folder = Path(made)
            names = []
            for number in range(40):
                name = f"d{number % 4}/rank{number}.log"
                (folder / name).parent.mkdir(exist_ok=True)
                (folder / name).write_bytes(b"x" * chance.randrange(100))
                names.append(name)
            for files, size in ((1, 1), (3, 1 << 20), (64, 150), (64, 1 << 20)):
                (job,) = find_jobs([made], files, size)
                read = [name for part in job.parts for name in part.files]
                self.assertEqual(read, sorted(names))
                self.assertTrue(all(0 < len(part.files) <= files for part in job.parts))

    def test_equal_paths_are_one_job(self) -> None:
        with tempfile.TemporaryDirectory() as made:
            for name in ("b.log", "a.log"):
                (Path(made) / name).touch()
            jobs = find_jobs([f"{made}/*.log", f"{made}/b.log", f"{made}/a.log"])
            self.assertEqual([job.name for job in jobs], [f"{made}/a.log", f"{made}/b.log"])

    def test_nothing_there(self) -> None:
        jobs = find_jobs(["/no/such/file", "/no/such/*"])
        self.assertEqual([bool(job.problem) for job in jobs], [True, True])


def slowly(number: int, *others: int) -> int:
    """A step that takes its time."""
    time.sleep(0.001 * (number % 3))
    return number + sum(others)


class EnginesTest(unittest.TestCase):
    def test_steps_wait_for_their_arguments(self) -> None:
        for workers in (1, 2, 7):
            engine = LocalEngine(workers)
            level = [engine.submit(slowly, number) for number in range(100)]
            while len(level) > 1:
                groups = [level[i : i + 8] for i in range(0, len(level), 8)]
                level = [engine.submit(slowly, *group) for group in groups]
            self.assertEqual(engine.result(level[0]), sum(range(100)))
            engine.close()


class WorkTest(unittest.TestCase):
    def test_problems_travel(self) -> None:
        settings = Settings(program="/no/such/program")
        merged = merge_parts(settings, Partial(None, ("a",)), Partial(None, ("b",)))
        self.assertEqual(merged, Partial(None, ("a", "b")))
        self.assertEqual(report_job(settings, "job", merged), JobRecord("job", None, ("a", "b")))
        lost = report_job(settings, "job", Partial(b"x"))
        self.assertEqual(lost.problems, ("/no/such/program is no program",))

    def test_errors_name_the_program(self) -> None:
        with self.assertRaises(FleetError):
            find_program("/no/such/program")

    def test_clipped_paths_are_whole(self) -> None:
        place = {"function": "f", "file": "/srv/app/m.py", "line": 3}
        finding = {
            **{"fingerprint": "f", "rule": "r", "name": "n", "severity": "note", "message": "m"},
            **{"where": place, "user": {"function": None, "file": "rv/app/m.py", "line": 9}},
            **{"identity": {"kind": "recompile", "function": "f"}, "count": 1, "ranks": []},
            "cost_seconds": 0.1 + 0.2,
        }
        told = job_result(
            {
                "inputs": [{}],
                "summary": {"lines": 1, "ranks": [], "compiles": 0, "compile_seconds": None},
                "findings": [finding],
            }
        )
        self.assertEqual((told.causes[0].file, told.causes[0].line), ("/srv/app/m.py", 9))
        self.assertEqual(told.causes[0].micros, 300_000)


if __name__ == "__main__":
    unittest.main()
