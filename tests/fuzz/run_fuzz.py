#!/usr/bin/env python3
"""Run the fuzz targets, each for some time, starting from the files in corpora/.

    tests/fuzz/run_fuzz.py build/fuzz/tests/fuzz [--seconds 60] [--jobs 2] [--keep-going] [--minimise] [--output FIGURES] [TARGET...]

Print one row for each target: how many inputs ran, how many were worth keeping, what broke a law. An input that breaks
a law, or takes more CPU time than its size allows, is saved in the folder that --findings names; with --keep-going the
target goes on after it. With --minimise, corpora/hostile/TARGET becomes the smallest set of short files that reaches
what all inputs together reached, or 64 of them; files that have a name and no number stay. The exit status is 1 if
something broke.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from hashlib import sha1
from itertools import chain
from pathlib import Path
from time import monotonic

ROOT = Path(__file__).resolve().parents[2]
HOSTILE = ROOT / "corpora" / "hostile"
SCHEMA = "shapewise.fuzzing/1"
MOST_KEPT = 64
LONGEST = 1 << 20
LONGEST_KEPT = 4096

# Targets that read no more than so many bytes.
LONGEST_OF = {"fuzz_buckets": 64, "fuzz_dynamo": 256}

# A target aborts by itself after some seconds of CPU time (time_limit.h). This limit is one of the clock, which a busy
# machine reaches early, so it only ends what does not even use the CPU.
SECONDS_WITHOUT_ANSWER = 300

# What targets begin from besides their own corpus: files below the checkout, and fenced blocks of tests/cases by the
# info string of their fence; each with the bytes that the target reads before the file itself.
LOGS = ("corpora/minimal/*.log", "corpora/hostile/*.log")
PROGRAMS = ("tests/torch/check_suite/*.py", "corpora/captured/**/*.py")
SEEDS: dict[str, list[tuple[bytes, tuple[str, ...]]]] = {
    "fuzz_archive": [(b"", ("corpora/dumps/**/*.json",)), (b"\x00\x00", ("corpora/dumps/scripted_code.txt",))],
    "fuzz_calls": [(b"\xff\x00", ("corpora/captured/**/*.jsonl",)), (b"\xff\x01", ("corpora/oracle/*.scenarios.jsonl",))],
    "fuzz_check": [(b"", PROGRAMS)],
    "fuzz_fx_text": [(b"", ("corpora/dumps/*.txt", "corpora/dumps/forms/*.txt"))],
    "fuzz_lint": [(b"\xff\x1f", LOGS), (b"\xff\x03", ("corpora/minimal/*trace*.log",))],
    "fuzz_project": [(b"\x0f", PROGRAMS)],
    "fuzz_pyast": [(b"", PROGRAMS)],
    "fuzz_python": [(b"", PROGRAMS)],
    "fuzz_rule_file": [
        (b"\x00", ("rules/registry.json",)),
        (b"\x01", ("rules/code/*.md",)),
        (b"\x02", ("rules/guards/*.md", "rules/logs/*.md", "rules/graph-breaks/*.md")),
    ],
    "fuzz_settings": [(b"\x00", ("pyproject.toml",))],
    "fuzz_torch_log": [(b"\xff", LOGS)],
    "fuzz_torch_trace": [(b"\xff", ("corpora/minimal/*trace*.log",))],
    "fuzz_torchscript_ir": [(b"", ("corpora/dumps/*graph*.txt", "corpora/dumps/scripted_code.txt"))],
    "fuzz_zip": [(b"", ("corpora/dumps/**/*.pt2", "corpora/dumps/**/*.pt"))],
}
FENCES: dict[str, list[tuple[bytes, str]]] = {
    "fuzz_calls": [(b"\xff\x00", r".*calls\S*\.jsonl"), (b"\xff\x01", r".*\.jsonl"), (b"\xff\x02", r".*\.txt")],
    "fuzz_chrome_trace": [(b"\xff", r".*\.json")],
    "fuzz_check": [(b"", r".*\.py"), (b"", r".*\.ipynb")],
    "fuzz_guard": [(b"", r"log.*")],
    "fuzz_lint": [(b"\xff\x1f", r".*\.log"), (b"\xff\x01", r".*\.json"), (b"\xff\x02", r".*\.csv")],
    "fuzz_project": [(b"\x0f", r".*\.py"), (b"\x0f", r".*\.ipynb")],
    "fuzz_saved": [(b"\x00", r".*\.(diff|patch)"), (b"\x02", r".*\.json")],
    "fuzz_settings": [(b"\x01", r".*shapewise\.toml"), (b"\x00", r".*pyproject\.toml")],
    "fuzz_sizes": [(b"\xff\x00", r".*\.(txt|csv|tsv|jsonl)")],
    "fuzz_step_times": [(b"\xff\x02", r".*\.csv")],
    "fuzz_torch_log": [(b"\xff", r".*\.log")],
}


@dataclass
class Outcome:
    """What became of one target."""

    target: str
    seconds: int
    inputs: int
    kept: int
    peak_mib: int
    broke: list[str]


def seeds_of(target: str) -> list[bytes]:
    """What `target` begins from."""
    seeds = []
    for head, patterns in SEEDS.get(target, []):
        for pattern in patterns:
            seeds += [head + path.read_bytes() for path in sorted(ROOT.glob(pattern)) if path.is_file()]
    cases = [path.read_text(encoding="utf-8") for path in sorted((ROOT / "tests" / "cases").rglob("*.md"))]
    for head, behind_fence in FENCES.get(target, []):
        fence = re.compile(rf"^```{behind_fence}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
        seeds += [head + found.group(found.re.groups).encode() for case in cases for found in fence.finditer(case)]
    if target == "fuzz_policy":
        seeds += [found.encode() for case in cases for found in re.findall(r'--policy "([^"]*)"', case)]
    return seeds


def lengthen(text: bytes, longest: int) -> list[bytes]:
    """Long inputs made of the seed `text`: many copies of it, many blank lines, many copies of a line."""
    lines = text.splitlines(keepends=True) or [b"\n"]
    line = max(lines, key=len)
    end = text.find(line) + len(line)
    room = max(0, longest - len(text))
    return [
        text * (longest // max(1, len(text))),
        text[:end] + b"\n" * room + text[end:],
        text[:end] + line * (room // len(line)) + text[end:],
    ]


def stretch_line(text: bytes, number: int, longest: int) -> bytes:
    """The seed `text` with one of its lines so long that the whole has `longest` bytes."""
    lines = text.splitlines(keepends=True) or [b"\n"]
    line = lines[number % len(lines)].rstrip(b"\n")
    place = sum(map(len, lines[: number % len(lines)])) + len(line)
    return text[:place] + (line[-1:] or b"a") * max(0, longest - len(text)) + text[place:]


def spread(seeds: list[bytes], count: int) -> list[bytes]:
    """At most `count` of the seeds, from all parts of the list."""
    return seeds[:: max(1, len(seeds) // count)][:count]


def long_seeds_of(seeds: list[bytes], longest: int) -> list[bytes]:
    """Long inputs of several sizes, made of some of the seeds."""
    sizes = (longest // 16, longest // 4, longest // 2, longest)
    repeated = [lengthen(seed, size) for size, seed in zip(sizes, spread(seeds, len(sizes)), strict=False)]
    stretched = [stretch_line(seed, number, longest // 3) for number, seed in enumerate(spread(seeds, 16))]
    return [*chain.from_iterable(repeated), *stretched]


def figure(name: str, text: str) -> int:
    found = re.search(rf"stat::{name}:\s+(\d+)", text)
    return int(found.group(1)) if found else 0


def limits(longest: int) -> list[str]:
    clock = [f"-timeout={SECONDS_WITHOUT_ANSWER}", f"-report_slow_units={SECONDS_WITHOUT_ANSWER}"]
    return [f"-max_len={longest}", "-len_control=0", "-rss_limit_mb=2048", *clock]


def fuzz(program: Path, corpora: list[Path], found: Path, seconds: int, longest: int) -> tuple[int, str]:
    """Fuzz until something breaks or the time is over; return the exit status and what the fuzzer printed."""
    done = subprocess.run(
        [str(program), f"-max_total_time={seconds}", "-print_final_stats=1", "-verbosity=1",
         f"-artifact_prefix={found}/", *limits(longest), *map(str, corpora)],
        capture_output=True, check=False)  # fmt: skip
    return done.returncode, done.stderr.decode(errors="replace")


def run(program: Path, work: Path, findings: Path, seconds: int, longest: int, *, keep_going: bool) -> Outcome:
    """Fuzz with `program`; inputs that reach something new are saved in `work`."""
    target = program.name
    found = findings / target
    found.mkdir(parents=True, exist_ok=True)
    outcome = Outcome(target=target, seconds=seconds, inputs=0, kept=0, peak_mib=0, broke=[])
    with tempfile.TemporaryDirectory() as folder:
        seeds = Path(folder)
        texts = seeds_of(target) + [path.read_bytes() for path in sorted((HOSTILE / target).glob("*"))]
        for seed in texts + long_seeds_of(texts, longest):
            (seeds / sha1(seed[:longest]).hexdigest()).write_bytes(seed[:longest])
        known: set[str] = set()
        end = monotonic() + seconds
        while (left := int(end - monotonic())) > 0:
            status, text = fuzz(program, [work, seeds], found, left, longest)
            outcome.inputs += figure("number_of_executed_units", text)
            outcome.kept += figure("new_units_added", text)
            outcome.peak_mib = max(outcome.peak_mib, figure("peak_rss_mb", text))
            if status == 0:
                break
            (found / f"report-{len(list(found.iterdir()))}.txt").write_text(text[-20000:], encoding="utf-8")
            saved = {path.name.rpartition("-")[2] for path in found.iterdir() if path.suffix == ""}
            if not keep_going or saved == known:
                break
            known = saved
            # A seed that breaks a law would do so again; the name of what was saved ends with its SHA-1.
            for name in saved:
                (seeds / name).unlink(missing_ok=True)
    outcome.broke = sorted(str(path) for path in found.iterdir())
    return outcome


def minimise(program: Path, work: Path) -> int:
    """Replace the corpus of a target by the smallest that reaches as much, or MOST_KEPT files of it; return their number."""
    own = HOSTILE / program.name
    with tempfile.TemporaryDirectory() as folder:
        least = Path(folder) / "least"
        least.mkdir()
        sources = [str(work)] + ([str(own)] if own.is_dir() else [])
        subprocess.run(
            [str(program), "-set_cover_merge=1", *limits(LONGEST_KEPT), str(least), *sources],
            capture_output=True,
            check=True,
        )
        own.mkdir(exist_ok=True)
        for path in own.iterdir():
            if re.fullmatch("[0-9a-f]{40}", path.name):
                path.unlink()
        by_size = sorted(least.iterdir(), key=lambda path: (path.stat().st_size, path.name))
        # Short ones and long ones alike.
        for rank in sorted({index * (len(by_size) - 1) // (MOST_KEPT - 1) for index in range(MOST_KEPT)}):
            shutil.copy(by_size[rank], own)
    return len(list(own.iterdir()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("programs", type=Path, help="folder of the fuzz targets")
    parser.add_argument("targets", nargs="*", help="only these")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--jobs", type=int, default=2, help="targets at a time")
    parser.add_argument("--longest", type=int, default=LONGEST, help="bytes of an input")
    parser.add_argument("--findings", type=Path, default=ROOT / "build" / "fuzz" / "findings")
    parser.add_argument("--work", type=Path, default=ROOT / "build" / "fuzz" / "work", help="where inputs are kept")
    parser.add_argument("--keep-going", action="store_true", help="go on after a finding")
    parser.add_argument("--minimise", action="store_true", help="renew corpora/hostile")
    parser.add_argument("--output", type=Path, help="where the figures are put as JSON")
    args = parser.parse_intermixed_args()
    programs = sorted(
        path
        for path in args.programs.glob("fuzz_*")
        if path.is_file() and path.suffix == "" and (not args.targets or path.name in args.targets)
    )
    if not programs:
        print(f"no fuzz targets in {args.programs}: ./dev build fuzz", file=sys.stderr)
        return 2

    def one(program: Path) -> Outcome:
        work = args.work / program.name
        work.mkdir(parents=True, exist_ok=True)
        longest = min(args.longest, LONGEST_OF.get(program.name, args.longest))
        return run(program, work, args.findings, args.seconds, longest, keep_going=args.keep_going)

    outcomes: list[Outcome] = []
    print(f"{'target':20} {'inputs':>10} {'kept':>6} {'MiB':>6}")
    with ThreadPoolExecutor(args.jobs) as pool:
        for outcome in pool.map(one, programs):
            outcomes.append(outcome)
            more = f" and {len(outcome.broke) - 3} more" if len(outcome.broke) > 3 else ""
            broke = f"  broke: {' '.join(outcome.broke[:3])}{more}" if outcome.broke else ""
            print(f"{outcome.target:20} {outcome.inputs:10} {outcome.kept:6} {outcome.peak_mib:6}{broke}", flush=True)
    if args.minimise:
        for program in programs:
            print(f"{program.name:20} {minimise(program, args.work / program.name):6} files")
    if args.output is not None:
        figures = {"schema": SCHEMA, "targets": [asdict(outcome) for outcome in outcomes]}
        args.output.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 1 if any(outcome.broke for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
