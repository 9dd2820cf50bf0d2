#!/usr/bin/env python3
"""One table of speeds: what shapewise takes, beside what others take for the nearest thing, in the same run.

    tests/bench/bench_all.py PROGRAM [--solvers FOLDER] [--quick] [--output FIGURES]

Inputs are made from corpora/ and not stored. FOLDER holds bench_buckets and bench_predict, whose rows are left out
without it, as is what needs a program that is not there (ruff, tlparse, which is installed into build/tlparse). All
figures are seconds of CPU on one core, medians; the rows on scaling say what else. --quick takes small inputs and one
run: it shows that everything works, and measures nothing. No figure is tested, machines differ; what must be equal
is: the answers of one core and two, of one thread and several.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import bench_check
import bench_graph
import bench_lint
import bench_trace
from measured_run import Run, median_of

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = "shapewise.speeds/1"


@dataclass
class Row:
    """One comparison, as it is printed."""

    what: str
    ours: str
    peer: str
    theirs: str
    ratio: str


def seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 0.1 else f"{value * 1000:.1f} ms"


class Table:
    """Rows, printed as they come."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        print(f"{'what':44} {'shapewise':>10}  {'beside':28} {'takes':>10} {'ours to theirs':>15}")

    def add(self, what: str, ours: float, peer: str, theirs: float) -> None:
        ratio = ours / theirs if theirs > 0 else float("nan")
        row = Row(what, seconds(ours), peer, seconds(theirs), f"{ratio:.3g}")
        self.rows.append(row)
        print(f"{row.what:44} {row.ours:>10}  {row.peer:28} {row.theirs:>10} {row.ratio:>15}", flush=True)


class Bench:
    """Everything that is timed, in the order of the table."""

    def __init__(self, program: Path, folder: Path, is_quick: bool) -> None:
        self.program = str(program.resolve())
        self.folder = folder
        self.is_quick = is_quick
        self.runs = 1 if is_quick else 3
        self.table = Table()

    def cpu(self, command: list[str], cores: str = "0") -> Run:
        return median_of(["taskset", "-c", cores, *command], self.runs, lambda run: run.cpu)

    def wall(self, command: list[str], cores: str) -> Run:
        return median_of(["taskset", "-c", cores, *command], self.runs, lambda run: run.seconds)

    def two_cores(self, what: str, command: list[str]) -> None:
        """A row for what two cores make of `command`, which must be the same bytes."""
        one, two = self.wall(command, "0"), self.wall(command, "0,1")
        if one.output != two.output:
            sys.exit(f"bench_all: {what}: two cores give another answer than one")
        self.table.add(f"{what}, two cores (wall clock)", two.seconds, "one core", one.seconds)

    def start_up(self) -> None:
        runs = 3 if self.is_quick else 15
        ours = median_of([self.program, "--version"], runs, lambda run: run.seconds)
        python = median_of([sys.executable, "-S", "-c", "pass"], runs, lambda run: run.seconds)
        self.table.add("start-up (--version, wall clock)", ours.seconds, "python3 -S -c pass", python.seconds)

    def logs(self) -> None:
        megabytes = 2 if self.is_quick else 500
        for kind, words in (("training", "a log of training"), ("torch", "nothing but records")):
            path = self.folder / f"{kind}-{megabytes}.log"
            if not path.is_file() or path.stat().st_size < megabytes * 1_000_000:
                bench_lint.make_log(path, megabytes, kind)
            lint = [self.program, "lint", "--exit-zero", "--format", "json", str(path)]
            grep = self.cpu(["grep", "-cE", bench_lint.PATTERN, str(path)])
            self.table.add(f"lint, {words}, {megabytes} MB", self.cpu(lint).cpu, "grep -cE of three words", grep.cpu)
            self.two_cores(f"lint, {words}", lint)

    def scaling(self) -> None:
        """Over size, and over cores with the same bytes out."""
        megabytes = 1 if self.is_quick else 125
        parts = []
        for number in range(8):
            path = self.folder / f"rank{number}-{megabytes}.log"
            if not path.is_file() or path.stat().st_size < megabytes * 1_000_000:
                bench_lint.make_log(path, megabytes, "torch" if number % 2 else "training")
            parts.append(str(path))
        lint = [self.program, "lint", "--exit-zero", "--format", "json"]
        two, eight = self.cpu([*lint, *parts[:2]]), self.cpu([*lint, *parts])
        self.table.add("lint, four times as many ranks", eight.cpu, "a quarter of them", two.cpu)
        self.two_cores("lint, 8 ranks", [*lint, *parts])

    def trace(self) -> None:
        megabytes = 5 if self.is_quick else 210
        path = self.folder / f"trace-{megabytes}.log"
        if not path.is_file() or path.stat().st_size < megabytes * 1_000_000:
            bench_trace.make_trace(path, megabytes)
        ours = self.cpu([self.program, "lint", "--exit-zero", "--format", "json", str(path)])
        what = f"lint, a trace of {megabytes} MB"
        tlparse = None if self.is_quick else bench_trace.tlparse_in(ROOT / "build" / "tlparse")
        if tlparse is not None:
            with tempfile.TemporaryDirectory(dir=self.folder) as out:
                command = [str(tlparse), str(path), "-o", f"{out}/out", "--overwrite", "--no-browser", "--plain-text"]
                theirs = self.cpu(command)
            self.table.add(what, ours.cpu, "tlparse --plain-text", theirs.cpu)
        envelopes = self.cpu([sys.executable, "-c", bench_trace.ENVELOPES, str(path)])
        self.table.add(what, ours.cpu, "python json of envelopes", envelopes.cpu)

    def graph(self) -> None:
        megabytes = 1 if self.is_quick else 50
        path = self.folder / "bench_readable.txt"
        bench_graph.make_readable(path, megabytes)
        ours = self.cpu([self.program, "graph", "--format", "json", "--no-padding", str(path)])
        theirs = self.cpu([sys.executable, "-c", bench_graph.REGULAR_EXPRESSION, str(path)])
        self.table.add(f"graph, print_readable of {megabytes} MB", ours.cpu, "python re of its nodes", theirs.cpu)
        path.unlink()

    def check(self) -> None:
        folder = ROOT / "tests" / "torch" if self.is_quick else bench_check.transformers()
        if folder is None:
            print("check: transformers is not in build/torch, its rows are left out", file=sys.stderr)
            return
        files = sum(1 for _ in folder.rglob("*.py"))
        check = [self.program, "check", "--no-cache", "--exit-zero", "--format", "json", str(folder)]
        ours = self.cpu([*check[:2], "-j1", *check[2:]])
        ruff = bench_check.ruff_command()
        if ruff is not None:
            theirs = self.cpu([*ruff, str(folder)])
            self.table.add(f"check, {folder.name}, {files} files", ours.cpu, "ruff check", theirs.cpu)
        one, two = self.wall([*check[:2], "-j1", *check[2:]], "0,1"), self.wall([*check[:2], "-j2", *check[2:]], "0,1")
        if json.loads(one.output)["findings"] != json.loads(two.output)["findings"]:
            sys.exit("bench_all: two threads of check find something else than one")
        self.table.add("check, two cores (wall clock)", two.seconds, "one core", one.seconds)

    def solvers(self, folder: Path) -> None:
        """The solver of buckets and the simulator, beside what is written down plainly."""
        buckets = subprocess.run([folder / "bench_buckets"], capture_output=True, text=True, check=True).stdout
        plain = re.search(r"(\d+) sizes, (\d+) buckets +plain +([\d.]+) s, ours +([\d.]+) s", buckets)
        if plain is not None:
            what = f"buckets, {plain[1]} sizes, {plain[2]} buckets"
            self.table.add(what, float(plain[4]), "the recurrence as it stands", float(plain[3]))
        predict = subprocess.run([folder / "bench_predict"], capture_output=True, text=True, check=True).stdout
        for row in re.finditer(r"^ *(\d+) distinct +([\d.]+) s .*?([\d.]+) of a hash table's", predict, re.MULTILINE):
            if row[1] in ("1000", "1000000"):
                ours = float(row[2])
                what = f"predict, 20 policies, 1000000 calls, {row[1]} distinct"
                self.table.add(what, ours, "a look-up a call in a hash table", ours / float(row[3]))


def device() -> str:
    """The processor, in words."""
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return f"{line.partition(': ')[2]}, {os.cpu_count()} cores"
    return platform.machine()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=Path)
    parser.add_argument("--solvers", type=Path, help="folder of bench_buckets and bench_predict")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--folder", type=Path, default=ROOT / "corpora" / "generated")
    parser.add_argument("--output", type=Path, help="where the figures are put as JSON")
    args = parser.parse_args()
    folder = Path(tempfile.mkdtemp()) if args.quick else args.folder
    folder.mkdir(parents=True, exist_ok=True)
    bench = Bench(args.program, folder, args.quick)
    parts: list[Callable[[], None]] = [bench.start_up, bench.logs, bench.scaling, bench.trace, bench.graph, bench.check]
    for part in parts:
        part()
    if args.solvers is not None:
        bench.solvers(args.solvers)
    if args.quick:
        shutil.rmtree(folder)
    if args.output is not None:
        figures = {
            "schema": SCHEMA,
            "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
            "device": device(),
            "rows": [asdict(row) for row in bench.table.rows],
        }
        args.output.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
