#!/usr/bin/env python3
"""What a later PyTorch adds to its traces changes no answer: an unknown key in every JSON object.

    tests/robust/check_unknown_keys.py PROGRAM CORPORA

Each structured trace of the corpora is read as it is and with a key that nobody knows in every envelope, in every object within it, and in the
JSON of payloads of known form; scenarios of calls likewise. Which key, which value and at which place is random, from a fixed seed.
Exit status: 0 all holds, 1 something does not.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import re
import sys
from pathlib import Path
from typing import Any

from surroundings import CLEAN, FINDINGS, TROUBLE, Failure, check, run, temporary_folder

SEED = 20_261_122
LEAST_TRACES = 20
LEAST_OBJECTS = 5_000
# Payloads that are one object with known keys; in others the keys are names of the user.
OBJECT_PAYLOADS = ("compilation_metrics", "dynamo_guards", "graph_break_reason")
GZIP = b"\x1f\x8b"
# A record with an envelope: what stands before the brace may be anything of torch's prefix.
ENVELOPE = re.compile(r"^(?P<head>[^{\t]*\] ?)(?P<object>\{.*\})(?P<tail>\s*)$")


class Adder:
    """Adds keys, and counts to how many objects."""

    def __init__(self) -> None:
        self.random = random.Random()
        self.objects = 0

    def begin(self, line: str) -> None:
        """What follows is decided by `line`: a line that stands there twice does so afterwards."""
        self.random.seed(f"{SEED} {line}")

    def key(self) -> str:
        """A key that no PyTorch has."""
        letters = "".join(self.random.choices("abcdefghijklmnopqrstuvwxyz", k=8))
        return self.random.choice(("zz_", "new.", "Ünbekannt ", "")) + "q" + letters + "q"

    def value(self) -> Any:
        """Any value of JSON."""
        number = self.random.randrange(10**6)
        return self.random.choice(
            [number, -0.5, 2**63, 1e300, f"text {number}", "", None, True, [], [[1], {}], {}]
            + [{"name": "q", "line": number, "deeper": [{"frame": 0}]}, '{"frame_id": 3}', "[0/0]"]
        )

    def add(self, value: dict[str, Any]) -> dict[str, Any]:
        """`value` with one key more, at any place."""
        self.objects += 1
        items = list(value.items())
        items.insert(self.random.randint(0, len(items)), (self.key(), self.value()))
        return dict(items)

    def text(self, text: str) -> str | None:
        """The object that `text` is, with a key more; None if it is no object."""
        try:
            value = json.loads(text)
        except ValueError:
            return None
        return json.dumps(self.add(value)) if isinstance(value, dict) else None


def with_keys_in_trace(lines: list[str], adder: Adder) -> list[str]:
    """A trace with a key more in each envelope and in each payload that is an object of known form."""
    out: list[str] = []
    at = 0
    while at < len(lines):
        match = ENVELOPE.match(lines[at])
        envelope = None
        if match is not None:
            try:
                envelope = json.loads(match["object"])
            except (ValueError, RecursionError):
                pass  # damaged on purpose: as it is
        if match is None or not isinstance(envelope, dict):
            out.append(lines[at])
            at += 1
            continue
        adder.begin(lines[at])
        end = at + 1
        while end < len(lines) and lines[end].startswith("\t"):
            end += 1
        payload = lines[at + 1 : end]
        told = "\n".join(line[1:] for line in payload)
        # A payload whose checksum is wrong on purpose is left alone.
        digest = hashlib.md5(told.encode(), usedforsecurity=False).hexdigest()
        if envelope.get("has_payload") == digest and any(
            key in envelope for key in OBJECT_PAYLOADS
        ):
            added = adder.text(told)
            if added is not None:
                envelope["has_payload"] = hashlib.md5(
                    added.encode(), usedforsecurity=False
                ).hexdigest()
                payload = ["\t" + added]
        inner = {
            key: adder.add(value) if isinstance(value, dict) else value
            for key, value in envelope.items()
        }
        out.append(match["head"] + json.dumps(adder.add(inner)) + match["tail"])
        out.extend(payload)
        at = end
    return out


def read_text(path: Path) -> str:
    """The text of a file, unpacked."""
    data = path.read_bytes()
    return (gzip.decompress(data) if data.startswith(GZIP) else data).decode(
        "utf-8", "surrogateescape"
    )


def is_trace(path: Path) -> bool:
    """Whether the file holds records of TORCH_TRACE."""
    if not path.is_file() or path.suffix in (".jsonl", ".json", ".py", ".pt2", ".pt", ".md"):
        return False
    data = path.read_bytes()
    head = (gzip.decompress(data) if data.startswith(GZIP) else data)[:20_000]
    return re.search(rb"^V\d{4} .*\] \{\"", head, re.MULTILINE) is not None


def answer(program: Path, folder: Path, *arguments: str) -> Any:
    """What the program says, without how many bytes it read."""
    done = run([program, *arguments], cwd=folder)
    done.must_be((CLEAN, FINDINGS, TROUBLE), f"{arguments}")
    result = json.loads(done.out) if done.out else {}
    for entry in result.get("inputs", []):
        if isinstance(entry, dict):
            entry.pop("bytes")
    return result, done.err, done.status


def differences(before: Any, after: Any, path: str = "") -> list[str]:
    """Where two JSON values differ."""
    if type(before) is not type(after):
        return [f"{path}: {before!r} -> {after!r}"]
    if isinstance(before, dict):
        return [
            line
            for key in sorted(before.keys() | after.keys())
            for line in differences(before.get(key), after.get(key), f"{path}.{key}")
        ]
    if isinstance(before, list) and len(before) == len(after):
        return [
            line
            for index, pair in enumerate(zip(before, after, strict=True))
            for line in differences(*pair, f"{path}[{index}]")
        ]
    return [] if before == after else [f"{path}: {str(before)[:200]} -> {str(after)[:200]}"]


def check_traces(program: Path, corpora: Path, folder: Path, adder: Adder) -> None:
    """Every trace below the corpora, each by itself."""
    # Files of fuzzers are not traces of a release.
    given = (path for path in corpora.rglob("*") if not path.parent.name.startswith("fuzz_"))
    traces = sorted(path for path in given if is_trace(path))
    check(len(traces) >= LEAST_TRACES, f"only {len(traces)} traces found")
    plain, added = folder / "plain", folder / "added"
    for number, path in enumerate(traces):
        name = f"{number:03}-{path.name.removesuffix('.gz')}"
        lines = read_text(path).split("\n")
        for where, text in ((plain, lines), (added, with_keys_in_trace(lines, adder))):
            where.mkdir(exist_ok=True)
            (where / name).write_bytes("\n".join(text).encode("utf-8", "surrogateescape"))
        for arguments in (["lint", "--events", "--format", "json"], ["guards", "--format", "json"]):
            before = answer(program, plain, *arguments, name)
            after = answer(program, added, *arguments, name)
            faults = differences(list(before), list(after))
            trace = f"{path.relative_to(corpora)}: {arguments[0]}"
            check(not faults, f"{trace} says something else\n" + "\n".join(faults[:20]))
    print(f"{len(traces)} traces, {adder.objects} objects with a key that nobody knows")
    check(adder.objects >= LEAST_OBJECTS, f"only {adder.objects} objects found")


def check_lines(program: Path, corpora: Path, folder: Path, adder: Adder) -> None:
    """Files with a JSON object a line: scenarios of calls."""
    for path in sorted((corpora / "oracle").glob("*.scenarios.jsonl.gz")):
        lines = read_text(path).splitlines()
        outputs = []
        for name, text in (
            ("plain", lines),
            ("added", [adder.text(line) or line for line in lines]),
        ):
            file = folder / f"{name}.jsonl"
            file.write_text("\n".join(text) + "\n")
            done = run([program, "predict", file, "--format", "jsonl"])
            outputs.append(done.must_be(CLEAN, f"predict {path.name}").out)
        check(outputs[0] == outputs[1], f"{path.name}: predict says something else")
        print(f"{path.name}: {len(lines)} scenarios with a key that nobody knows")


def main() -> int:
    """Runs all checks."""
    program, corpora = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    adder = Adder()
    try:
        with temporary_folder() as folder:
            check_traces(program, corpora, folder, adder)
            check_lines(program, corpora, folder, adder)
    except Failure as failure:
        print(f"check_unknown_keys: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
