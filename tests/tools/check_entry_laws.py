#!/usr/bin/env python3
"""Checks that the way in which an input reaches the program does not change what is found in it.

    tests/tools/check_entry_laws.py PROGRAM ROOT [--whole]

Standard input equals the file, for `check` under every spelling of its name, for `lint` also compressed; a folder equals
its files, in any order and named repeatedly. tests/support/laws.py has the exit status.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.laws import Json, Laws, copy_suite, logs, run_laws, write_project


def spellings(folder: Path, name: str) -> list[str]:
    """Names of one file, as seen from `folder`."""
    top = name.split("/")[0]
    twice = f"{top}/../{name}" if "/" in name else f"{folder.name}/../{name}"
    return [
        name,
        f"./{name}",
        f".//{name}",
        f"././{name}",
        twice if (folder / top).is_dir() else f"../{folder.name}/{name}",
        f"../{folder.name}/{name}",
        str(folder / name),
        f"{folder}/./{name}",
    ]


def code_from_standard_input(laws: Laws) -> None:
    law = "check standard input"
    folder = laws.work / "code"
    names = copy_suite(laws, folder)
    (folder / "odd\\name.py").write_bytes((folder / "branch_elif.py").read_bytes())
    (folder / "a b.py").write_bytes((folder / "branch_elif.py").read_bytes())
    names += ["odd\\name.py", "a b.py"]
    names += [f"pkg/{name}" for name in write_project(folder / "pkg", 3)]
    for number, name in enumerate(names):
        text = (folder / name).read_bytes()
        plain = laws.check(name, inside=folder)
        ways = spellings(folder, name)
        for way in ways if laws.whole or number >= len(names) - 6 else [ways[number % len(ways)]]:
            file = laws.check(way, inside=folder)
            stdin = laws.check("--stdin-filename", way, "-", inside=folder, text=text)
            laws.expect(stdin == file, law, f"{way}: {differences(stdin, file)}")
            laws.expect(unnamed(file) == unnamed(plain), law, f"{way} is not {name}: {differences(file, plain)}")
        # From a folder below.
        below = folder / "below"
        below.mkdir(exist_ok=True)
        if number % 5 == 0:
            file = laws.check(f"../{name}", inside=below)
            stdin = laws.check("--stdin-filename", f"../{name}", "-", inside=below, text=text)
            laws.expect(stdin == file, law, f"../{name}: {differences(stdin, file)}")
            laws.expect(unnamed(file) == unnamed(plain), law, f"../{name} is not {name}")


def unnamed(result: Json) -> Json:
    """Findings without the names of files, and without what depends on them."""

    def strip(finding: Json) -> Json:
        finding = {key: value for key, value in finding.items() if key != "file"}
        finding["related"] = [{k: v for k, v in place.items() if k != "file"} for place in finding["related"]]
        return finding

    return {
        "findings": [strip(finding) for finding in result.get("findings", [])],
        "summary": result.get("summary"),
        "faults": len(result.get("faults", [])),
    }


def differences(one: Json, other: Json) -> str:
    keys = [key for key in sorted({*one, *other}) if one.get(key) != other.get(key)]
    return "; ".join(f"{key}: {str(one.get(key))[:120]} / {str(other.get(key))[:120]}" for key in keys)


def fixes_from_standard_input(laws: Laws) -> None:
    """--fix prints the text that it writes to the file."""
    folder = laws.work / "fixes"
    for number, name in enumerate(copy_suite(laws, folder)):
        if not laws.sampled(name, 8):
            continue
        text = (folder / name).read_bytes()
        way = spellings(folder, name)[number % 8]
        options = ("check", "--no-cache", "--exit-zero", "--fix", "--unsafe-fixes")
        printed = laws.run(*options, "--stdin-filename", way, "-", inside=folder, text=text).stdout
        laws.run(*options, name, inside=folder)
        laws.expect(printed == (folder / name).read_bytes(), "fixed standard input", way)


def zstd_of(text: bytes) -> bytes | None:
    tool = shutil.which("zstd")
    if tool is None:
        return None
    return subprocess.run([tool, "-q", "-c"], input=text, capture_output=True, check=True).stdout


def renamed(result: Json, name: str) -> str:
    """The result as a text, without the name and the size in bytes of its one input."""
    for entry in result.get("inputs", []):
        entry["name"] = entry["bytes"] = None
    # Ties are ordered by the name of the log.
    result.get("findings", []).sort(key=lambda finding: (finding["fingerprint"], finding["rule"]))
    text = json.dumps(result, sort_keys=True).replace(f": {json.dumps(name)}", ': "INPUT"')
    # Sentences name the log, or places in it.
    return re.sub(rf"(?<![\w/]){re.escape(json.dumps(name)[1:-1])}(?=:\d|\.\")", "INPUT", text)


def logs_from_standard_input(laws: Laws) -> None:
    law = "lint standard input"
    compressed = laws.work / "compressed"
    compressed.mkdir()
    for number, log in enumerate(logs(laws)):
        if log.is_dir() or not laws.sampled(log.name + log.parent.name, 3):
            continue
        text = log.read_bytes()
        file = laws.lint("--events", str(log))
        ways = {"": text, ".gz": gzip.compress(text), ".zst": zstd_of(text) if number % 3 == 2 else None}
        for end in ways if laws.whole else ["", ".gz", ".zst"][number % 3 : number % 3 + 1]:
            packed = ways[end]
            if packed is None:
                continue
            stdin = laws.lint("--events", "-", text=packed)
            laws.expect(renamed(stdin, "-") == renamed(file, str(log)), law, f"{log.name}{end} on standard input")
            if end:
                copy = compressed / (log.name + end)
                copy.write_bytes(packed)
                other = laws.lint("--events", str(copy))
                laws.expect(renamed(other, str(copy)) == renamed(file, str(log)), law, f"{log.name}{end}")


def code_folders(laws: Laws) -> None:
    law = "check folder"
    suite = laws.work / "folders/suite"
    folders = [(suite, copy_suite(laws, suite))]
    for seed in range(30 if laws.whole else 6):
        folder = laws.work / f"folders/project{seed}"
        folders.append((folder, write_project(folder, seed, models=3)))
    for folder, names in folders:
        whole = laws.check(".", inside=folder)
        ways = {
            "files": names,
            "files backwards": names[::-1],
            "files twice": [*names, *[f"./{name}" for name in names]],
            "folder and files": [".", *names[:2]],
            "absolute folder": [".", str(folder)],
            "absolute and relative files": [str(folder / name) if i % 2 else name for i, name in enumerate(names)],
            "roundabout": [f"../{folder.name}"],
        }
        for way, arguments in ways.items():
            other = laws.check(*arguments, inside=folder)
            laws.expect(other == whole, law, f"{folder.name}, {way}: {differences(other, whole)}")


def without_indices(value: Any) -> Any:
    """`value` without indices of inputs and events, which depend on the order of the inputs."""
    if isinstance(value, dict):
        return {k: without_indices(v) for k, v in value.items() if k not in ("input", "events", "evidence", "torch")}
    return [without_indices(one) for one in value] if isinstance(value, list) else value


def of_run(result: Json) -> Json:
    """Findings and counts, without what depends on the names and the order of the inputs."""
    for finding in result["findings"]:
        if finding["identity"]["kind"] == "log":
            finding["where"]["file"] = Path(finding["where"]["file"]).name
    return {
        "findings": sorted(json.dumps(without_indices(one), sort_keys=True) for one in result["findings"]),
        "summary": without_indices(result["summary"]),
        "events": Counter(event["kind"] for event in result["events"]),
    }


def log_folders(laws: Laws) -> None:
    law = "lint folder"
    captured = laws.root / "corpora/captured/2.13.0"
    folders = [path for path in sorted(captured.glob("*/trace")) if len(list(path.iterdir())) > 1]
    # Groups of small logs.
    minimal = sorted((laws.root / "corpora/minimal").glob("*.log"))
    for number in range(12 if laws.whole else 4):
        group = laws.work / f"logs{number}"
        group.mkdir()
        for log in minimal[number::40]:
            shutil.copy(log, group)
        folders.append(group)
    for folder in folders:
        names = sorted(path.name for path in folder.iterdir())
        whole = of_run(laws.lint("--events", ".", inside=folder))
        for way, arguments in {
            "files": names,
            "files backwards": names[::-1],
            "upwards": [f"../{folder.name}"],
        }.items():
            other = of_run(laws.lint("--events", *arguments, inside=folder))
            laws.expect(other == whole, law, f"{folder.name}, {way}: {differences(other, whole)}")
        # A file that is named twice is read once.
        once, twice = (laws.lint(*names[:1] * times, inside=folder) for times in (1, 2))
        laws.expect(once == twice, law, f"{folder.name}, {names[0]} twice: {differences(twice, once)}")


if __name__ == "__main__":
    sys.exit(
        run_laws(
            "check_entry_laws",
            [
                code_from_standard_input,
                fixes_from_standard_input,
                logs_from_standard_input,
                code_folders,
                log_folders,
            ],
        )
    )
