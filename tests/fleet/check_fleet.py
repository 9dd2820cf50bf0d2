#!/usr/bin/env python3
"""A fleet of real logs, read by processes of this machine.

    tests/fleet/check_fleet.py PROGRAM CORPORA

The table has to be that of each job told by itself and added up here, and the same bytes however the
jobs are ordered, cut and shared out. fsspec and pyarrow are tested where they are installed; skipped
(77) where neither is.
"""

from __future__ import annotations

import importlib.util
import json
import random
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import json_schemas  # noqa: E402 - in the folder of tests/support
from fleet_jobs import make_jobs

from shapewise.fleet import FleetError, analyze
from shapewise.fleet.cli import main as fleet_main
from shapewise.fleet.work import job_token

SKIPPED = 77


def main(program: str, corpora: Path) -> int:
    """Runs all checks; 1 if one fails."""
    if importlib.util.find_spec("fsspec") is None and importlib.util.find_spec("pyarrow") is None:
        print("skipped: neither fsspec nor pyarrow is installed")
        return SKIPPED
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made) / "logs"
        folder.mkdir()
        jobs = make_jobs(corpora, folder)
        serial = analyze(jobs, program=program, workers=1)
        check_sums(program, jobs, serial.document())
        check_schema(program, jobs, serial.document(), Path(made))
        check_same_bytes(program, jobs, serial.json())
        check_failures(serial.document(), folder)
        check_patterns(program, folder)
        check_owners(program, jobs, Path(made))
        check_redaction(program, jobs, serial.document())
        check_command(program, jobs, serial.json(), Path(made))
        if importlib.util.find_spec("fsspec") is not None:
            check_fsspec(program, folder, serial.document())
        if importlib.util.find_spec("pyarrow") is not None:
            check_parquet(serial, Path(made))
    print("fleet: all checks hold")
    return 0


def lint(program: str, job: str) -> dict[str, Any] | None:
    """What lint says of a job by itself."""
    command = [program, "lint", "--exit-zero", "--expect-output", "--format", "json", job]
    done = subprocess.run(command, capture_output=True, check=False, cwd="/")
    return json.loads(done.stdout) if done.returncode == 0 else None


def check_sums(program: str, jobs: list[str], document: dict[str, Any]) -> None:
    """Brute force: every job by itself."""
    events: dict[tuple[str, str], int] = defaultdict(int)
    with_it: dict[tuple[str, str], set[str]] = defaultdict(set)
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    compiles = 0
    failed = set()
    for job in jobs:
        result = lint(program, job) if Path(job).exists() else None
        if result is None or not result["inputs"]:
            failed.add(job)
            continue
        compiles += result["summary"]["compiles"]
        for finding in result["findings"]:
            key = finding["fingerprint"], finding["rule"]
            events[key] += finding["count"]
            with_it[key].add(job)
            seconds[key] += finding["cost_seconds"] or 0
    rows = {(row["fingerprint"], row["rule"]): row for row in document["causes"]}
    assert len(rows) == len(document["causes"]), "a cause is told twice"
    assert rows.keys() == events.keys(), rows.keys() ^ events.keys()
    for key, row in rows.items():
        assert row["events"] == events[key], row
        assert row["jobs"] == len(with_it[key]), row
        assert abs((row["gpu_seconds"] or 0) - seconds[key]) < 1e-5, row
    told = {row["job"] for row in document["jobs"] if row["status"] != "failed"}
    assert told == set(jobs) - failed, told ^ (set(jobs) - failed)
    assert document["summary"]["compiles"] == compiles
    # Two copies of one traced job: what it cost counts twice, on two ranks each.
    assert any(row["ranks"] == 4 and row["gpu_seconds"] for row in document["causes"])


def check_schema(program: str, jobs: list[str], document: dict[str, Any], folder: Path) -> None:
    """The table is what `shapewise schema fleet` says, and a damaged one is not."""
    schemas = json_schemas.load(program)
    if schemas is None:
        print("no Python package jsonschema: the table is not held against its schema")
        return
    (folder / "OWNERS").write_text("*.py @everyone\n", encoding="utf-8")
    owned = analyze(jobs, program=program, owners=str(folder / "OWNERS")).document()
    redacted = analyze(jobs, program=program, redact_key="k").document()
    for table in (document, owned, redacted):
        problems = schemas.problems_of_result(table)
        assert not problems, problems
    assert document["causes"] and owned["owners"] and document["failures"]
    for name in ("summary", "causes", "owners", "jobs", "failures"):
        row = owned[name] if name == "summary" else owned[name][0]
        for member in row:
            for other in ({}, None):
                damaged = {key: value for key, value in row.items() if key != member}
                if other is not None:
                    damaged[member] = other
                table = {**owned, name: damaged if name == "summary" else [damaged]}
                assert schemas.problems("fleet", table), f"{name}: {member} may be {other}"


def check_same_bytes(program: str, jobs: list[str], expected: str) -> None:
    """Order, workers and parts make no difference."""
    chance = random.Random(5)
    for workers, part_files in ((3, 1), (2, 2)):
        shuffled = [*jobs, *jobs[:3]]
        chance.shuffle(shuffled)
        fleet = analyze(shuffled, program=program, workers=workers, part_files=part_files)
        assert fleet.json() == expected, f"{workers} workers, {part_files} files a part"


def check_failures(document: dict[str, Any], folder: Path) -> None:
    """Failures are rows, with a reason each."""
    failed = {row["job"]: row["message"] for row in document["failures"]}
    assert "not-there" in str(failed.keys()), failed
    assert failed[str(folder / "empty")] == "there are no files in it", failed
    assert str(folder / "shopping.txt") in failed, failed
    assert document["summary"]["failed"] == 3, document["summary"]
    assert all(failed.values()), failed


def check_patterns(program: str, folder: Path) -> None:
    """A pattern is as many jobs as it matches."""
    by_name = analyze([str(folder / "job-1.log"), str(folder / "job-4.log")], program=program)
    by_pattern = analyze([f"{folder}/job-1.log", f"{folder}/job-[4].log"], program=program)
    assert by_name.json() == by_pattern.json()
    nothing = analyze([f"{folder}/nothing-*"], program=program).document()
    assert nothing["failures"] == [{"job": f"{folder}/nothing-*", "message": "nothing matches"}]


def check_owners(program: str, jobs: list[str], folder: Path) -> None:
    """Owners by path."""
    rows = "# who owns what\n*.py @everyone\n/app/ranks_lengths.py @ranks @data\n"
    (folder / "CODEOWNERS").write_text(rows, encoding="utf-8")
    fleet = analyze(jobs, program=program, owners=str(folder / "CODEOWNERS")).document()
    theirs = [row for row in fleet["causes"] if (row["file"] or "").endswith("ranks_lengths.py")]
    assert theirs, "no cause stands in ranks_lengths.py"
    assert all(row["owners"] == ["@ranks", "@data"] for row in theirs), theirs
    owners = {row["owner"]: row for row in fleet["owners"]}
    assert owners.keys() == {"@everyone", "@ranks", "@data"}, owners
    assert owners["@ranks"]["jobs"] == 2, owners
    try:
        analyze(jobs, program=program, owners=str(folder / "CODEOWNERS"), redact_key="k")
    except FleetError:
        return
    raise AssertionError("owners without paths")


def check_redaction(program: str, jobs: list[str], document: dict[str, Any]) -> None:
    """The same table without a name."""
    fleet = analyze(jobs, program=program, redact_key="key")
    text = fleet.json()
    redacted = fleet.document()
    for row in document["causes"]:
        for name in (row["file"], row["function"]):
            stem = (name or "").rpartition("/")[2].removesuffix(".py")
            if stem.startswith(("ranks_", "encode", "train_", "generate")):
                assert stem not in text, stem
    assert all(job not in text for job in jobs)
    assert {row["job"] for row in redacted["jobs"]} == {job_token("key", job) for job in jobs}

    def numbers(table: dict[str, Any]) -> list[tuple[Any, ...]]:
        members = ("rule", "severity", "events", "jobs", "ranks", "gpu_seconds")
        return sorted((tuple(row[name] for name in members) for row in table["causes"]), key=str)

    assert numbers(redacted) == numbers(document)


def check_command(program: str, jobs: list[str], expected: str, folder: Path) -> None:
    """The command line writes the same."""
    output, listed = folder / "fleet.json", folder / "jobs.txt"
    listed.write_text("\n".join(jobs) + "\n", encoding="utf-8")
    arguments = ["--program", program, "--paths-from", str(listed), "-o", str(output)]
    assert fleet_main(arguments) == 1, "failures are no success"
    assert output.read_text(encoding="utf-8") == expected
    assert fleet_main(["--program", program, "-o", str(output), str(folder / "none")]) == 2


def check_fsspec(program: str, folder: Path, document: dict[str, Any]) -> None:
    """Jobs of a file system that only fsspec reads."""
    import fsspec

    memory = fsspec.filesystem("memory")
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = f"/fleet/{path.relative_to(folder).as_posix()}"
            memory.pipe_file(name, path.read_bytes())
    fleet = analyze(["memory://fleet/job-*", "memory://fleet/ranks*"], program=program)
    remote = fleet.document()
    assert not remote["failures"], remote["failures"]

    def causes(table: dict[str, Any]) -> list[dict[str, Any]]:
        return [
            {name: value for name, value in row.items() if name != "example_jobs"}
            for row in table["causes"]
        ]

    assert causes(remote) == causes(document)
    gone = analyze(["memory://fleet/not-there", "nosuchscheme://x"], program=program).document()
    assert [row["status"] for row in gone["jobs"]] == ["failed", "failed"], gone


def check_parquet(fleet: Any, folder: Path) -> None:
    """Rows as they are in JSON."""
    import pyarrow.parquet

    fleet.write_parquet(str(folder / "fleet.parquet"))
    rows = pyarrow.parquet.read_table(folder / "fleet.parquet").to_pylist()
    document = fleet.document()
    causes = [row for row in rows if row["row"] == "cause"]
    assert [{**row, "row": "cause"} for row in document["causes"]] == causes
    failures = [row for row in rows if row["row"] == "failure"]
    assert [(row["example_jobs"][0], row["message"]) for row in failures] == [
        (row["job"], row["message"]) for row in document["failures"]
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
