#!/usr/bin/env python3
"""Checks what `lint` and `check` print as SARIF against the schema of SARIF 2.1.0.

    tests/tools/check_sarif.py PROGRAM CORPORA FOLDER

The schema comes from npm's registry (@microsoft/jest-sarif) and is kept in FOLDER.
Exit status: 0 valid, 1 not, 77 the schema or the Python package jsonschema cannot be had.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "@microsoft/jest-sarif@1.0.0-beta.0"
MEMBER = "package/lib/schemas/sarif-2.1.0-rtm.5.json"
MODEL = """import torch


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print("größe", x)
        if x.sum() > 0:
            x = x * x.sum().item()  # shapewise: ignore
        y = = 3
        return x


class Other(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x[x > 0] = 1
        return x * x.sum().item()
"""


def load_schema(folder: Path) -> object | None:
    """The schema; None where it cannot be had."""
    kept = folder / "sarif-schema-2.1.0.json"
    if not kept.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        try:
            done = subprocess.run(
                ["npm", "pack", "--silent", PACKAGE], cwd=folder, capture_output=True, text=True, timeout=60, check=True
            )
            with tarfile.open(folder / done.stdout.split()[-1]) as archive:
                member = archive.extractfile(MEMBER)
                if member is None:
                    return None
                kept.write_bytes(member.read())
        except (OSError, subprocess.SubprocessError, tarfile.TarError, KeyError, IndexError):
            return None
    return json.loads(kept.read_text(encoding="utf-8"))


def main() -> int:
    program, corpora, folder = (str(Path(argument).resolve()) for argument in sys.argv[1:4])
    try:
        import jsonschema
    except ImportError:
        print("check_sarif: no Python package jsonschema")
        return 77
    schema = load_schema(Path(folder))
    if schema is None:
        print(f"check_sarif: {PACKAGE} cannot be had")
        return 77
    validator = jsonschema.Draft7Validator(schema)
    problems = 0
    with tempfile.TemporaryDirectory() as work:
        Path(work, "my model.py").write_text(MODEL, encoding="utf-8")
        Path(work, "empty.py").write_text("", encoding="utf-8")
        log = Path(corpora, "captured/2.13.0/222-limit-cache/log.txt")
        for arguments in (
            ["check", "my model.py"],
            ["check", "--baseline", "known.json", "--update-baseline", "my model.py"],
            ["check", "empty.py"],
            ["lint", str(log)],
        ):
            command = [program, *arguments, "--exit-zero", "--format", "sarif"]
            done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=60, check=False)
            if done.returncode != 0:
                print(f"check_sarif: {arguments}: {done.stderr}")
                problems += 1
                continue
            result = json.loads(done.stdout)
            for error in validator.iter_errors(result):
                print(f"check_sarif: {arguments}: {list(error.absolute_path)}: {error.message[:200]}")
                problems += 1
            # What the schema does not say: indices fit, and a run with findings has results.
            run = result["runs"][0]
            rules = run["tool"]["driver"]["rules"]
            for entry in run["results"]:
                if rules[entry["ruleIndex"]]["id"] != entry["ruleId"]:
                    print(f"check_sarif: {arguments}: ruleIndex {entry['ruleIndex']} is not {entry['ruleId']}")
                    problems += 1
            if not run["results"] and arguments[-1] != "empty.py":
                print(f"check_sarif: {arguments}: no results")
                problems += 1
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
