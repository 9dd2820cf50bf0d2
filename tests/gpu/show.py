#!/usr/bin/env python3
"""Measured figures as Markdown: tests/gpu/show.py FILE [--check PAGE]

FILE is a result of tests/gpu/run.sh, tests/bench/captioning/study.py, tests/bench/regret.py,
tests/bench/bench_check.py or tests/torch/check_tune_models.py or
check_predict_models.py.

With --check, report lines that PAGE lacks. Exit status: 0 if PAGE contains all of them, else 1.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

Figures = dict[str, Any]
STUDY_HEAD = ("policy", "steps/s", "95 %", "vs. naive", "compiles", "predicted", "compile s", "losses")
LOSSES = {True: "equal", False: "differ", None: "unknown"}


def microseconds(seconds: float) -> str:
    """Microseconds, with three significant digits."""
    return f"{seconds * 1e6:.3g}" if seconds < 1e-3 else f"{seconds * 1e6:,.0f}"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Return a Markdown table."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def figures_of(answer: Figures, part: str) -> Figures:
    """Return the figures of a part; empty if it has none."""
    found: Figures = answer["parts"].get(part, {}).get("figures", {})
    return found


def lines_of(answer: Figures) -> list[str]:
    """Return all tables."""
    place = answer["device"] if answer["device"].startswith("cpu") else f"GPU: {answer['device']}"
    words = " These are CPU figures, not GPU figures." if answer["device"].startswith("cpu") else ""
    lines = [f"Measured by `{answer['command']}` on {answer['date']}: {place}, torch {answer['torch']}.{words}", ""]
    checked = figures_of(answer, "check").get("rows", [])
    if checked:
        same = sum(row.get("identical", False) for row in checked)
        equal = sum(row["equal"] for row in checked)
        lines += [f"{len(checked)} captured graphs, run natively and by Python: {same} results are bit-identical, {equal} are equal.", ""]
    curves = figures_of(answer, "curves").get("rows", [])
    if curves:
        sizes = [str(point["size"]) for point in curves[0]["points"]]
        rows = [
            [row["program"], *(microseconds(p["seconds"]) for p in row["points"]), f"{row['native_over_python']:.2f}"]
            for row in curves
            if "native_over_python" in row
        ]
        threads = ", one thread" if answer["device"].startswith("cpu") else ""
        lines += table([f"µs per call at size{threads}", *sizes, "native / Python"], rows) + [""]
    overhead = figures_of(answer, "overhead")
    if overhead:
        names = list(overhead["ns_an_operator"])
        values = [f"{overhead['ns_an_operator'][name] / 1e3:.2f}" for name in names]
        lines += table(["µs per addition", *names, "overhead"], [["", *values, f"{overhead['overhead_ns'] / 1e3:.2f}"]]) + [""]
    policies = figures_of(answer, "harness").get("policies", [])
    if policies:
        equal = {True: "yes", False: "no", None: "?"}
        rows = [[row["name"], str(row["compiles"]), equal[row["equal"]]] for row in policies]
        head = ["policy", "compiles", "equal"]
        # On a CPU these steps are too small for their times to mean anything.
        if not answer["device"].startswith("cpu"):
            head.append("steps per second")
            rows = [[*cells, f"{row['steps_per_second'] or 0:.0f}"] for cells, row in zip(rows, policies, strict=True)]
        lines += table(head, rows) + [""]
    graphs = figures_of(answer, "cudagraphs").get("sizes", [])
    if graphs:
        rows = [
            [str(row["call"]), microseconds(row["launch_seconds"]), microseconds(row["replay_seconds"]), str(row["pays_after_calls"])]
            for row in graphs
            if row["error"] is None
        ]
        lines += table(["call", "µs launched", "µs replayed as a CUDA graph", "pays off after calls"], rows) + [""]
    return lines


def speed_cells(row: Figures, naive: float | None) -> list[str]:
    """Return steps per second, their interval and ratio; dashes if the policy was not timed."""
    rate = row["steps_per_second"]
    if rate is None:
        return ["-", "-", "-"]
    return [f"{rate:.2f}", "{:.2f} to {:.2f}".format(*row["steps_per_second_interval"]), f"{rate / naive:.2f}" if naive else "-"]


def study_lines(answer: Figures) -> list[str]:
    """Return a sentence, and a table with the fastest policy first."""
    rows = sorted(answer["policies"], key=lambda row: -(row["steps_per_second"] or 0))
    naive = next(row for row in rows if row["name"].startswith("naive"))["steps_per_second"]
    steps = f"{rows[0]['steps']} steps, {answer['repetitions']} processes per policy"
    lines = [f"{answer['scale']} scale, {answer['device']}, torch {answer['torch']}, {answer['date']}: {steps}.", ""]
    cells = [
        [
            row["name"] + (", limit hit" if row["recompile_limit_hit"] else ""),
            *speed_cells(row, naive),
            str(row["compiles"]),
            str(row["predicted"]),
            f"{row['compile_seconds']:.0f}",
            LOSSES[row["equal"]],
        ]
        for row in rows
        if row["error"] is None
    ]
    return lines + table(list(STUDY_HEAD), cells)


def regret_lines(answer: Figures) -> list[str]:
    """Return a sentence, and a row for each stream of sizes."""
    rows = [
        [
            report["stream"],
            str(report["horizon"]),
            report["pick"],
            report["best"],
            f"{100 * report['regret']:.1f} %" + (", within noise" if report["regret"] > 0.02 and report["within_noise"] else ""),
            str(len(report["policies"])),
        ]
        for report in answer["streams"]
    ]
    lines = [f"Measured by `{answer['command']}` on {answer['date']}: {answer['device']}, torch {answer['torch']}.", ""]
    return lines + table(["stream of sizes", "steps", "advised", "fastest", "slower by", "policies"], rows)


def check_speed_lines(answer: Figures) -> list[str]:
    """Return a sentence, and a row for each command."""
    rows = [
        [run["command"], f"{run['cpu_s']:.2f}", f"{run['wall_s']:.2f}", str(run["files_per_cpu_s"]), str(run["anonymous_mib"])]
        for run in answer["runs"]
    ]
    lines = [f"{answer['files']:,} files, {answer['bytes'] / 1e6:.1f} MB; {answer['tool']}, {answer['ruff']}.", ""]
    return lines + table(["command", "CPU s", "wall s", "files per CPU second", "MiB"], rows)


def recorder_lines(answer: Figures) -> list[str]:
    """Return a sentence, and a row for each step."""
    rows = [
        [
            row["step"],
            f"{row['us_without']:,.0f}",
            *(f"{row['us_within']:.0f}", f"{100 * row['share_within']:.2f} %"),
            *(f"{row['us_within_run']:.0f}", f"{100 * row['share_within_run']:.2f} %"),
        ]
        for row in answer["rows"]
    ]
    lines = [f"Measured by `tests/bench/bench_record.py` on {answer['date']}: torch {answer['torch']}, one thread.", ""]
    return lines + table(["step", "µs per step without", "µs in the recorder", "share", "with samples for probes", "share"], rows)


def fuzzing_lines(answer: Figures) -> list[str]:
    """Return one sentence; readers do not need a row for each target."""
    targets = answer["targets"]
    inputs = sum(target["inputs"] for target in targets)
    minutes = sum(target["seconds"] for target in targets) / 60
    broke = sum(len(target["broke"]) for target in targets)
    names = {target["target"] for target in targets}
    return [f"Fuzzing: {len(names)} targets, {minutes:.0f} minutes in total, {inputs / 1e6:.1f} million inputs, {broke} failures."]


def speed_lines(answer: Figures) -> list[str]:
    """Return a sentence, and a row for each measured operation."""
    rows = [[row["what"], row["ours"], row["peer"], row["theirs"], row["ratio"]] for row in answer["rows"]]
    lines = [f"Measured by `./dev bench` on {answer['date']}: {answer['device']}.", ""]
    return lines + table(["operation", "shapewise", "compared with", "its time", "ratio"], rows)


def padding_gallery_lines(answer: Figures) -> list[str]:
    """Return a sentence, and a row for each set of models."""
    names = {"mended with": "looked at while the rules were mended", "first contact": "first contact: not looked at before"}
    rows = []
    for name, words in names.items():
        # A capture without a size that varies has nothing to pad.
        judged = [row for row in answer["rows"] if row["set"] == name and row["verdict"] != "none"]
        decided = sum(row["verdict"] != "unknown" for row in judged)
        wrong = sum(not row["held"] for row in judged)
        models = len({row["model"] for row in judged})
        rows.append([words, str(models), str(len(judged)), f"{decided} ({decided / len(judged):.0%})", str(wrong)])
    versions = ", ".join(f"{name} {version}" for name, version in answer["versions"].items())
    lines = [f"Measured by the nightly test `torch.padding_gallery.whole`: CPU, {versions}.", ""]
    return lines + table(["padding verdicts on", "models", "captures", "decided", "wrong"], rows)


def tune_models_lines(answer: Figures) -> list[str]:
    """Return a sentence and a row for each program that an action helps, and one for the others together."""
    lines = [f"Measured by `tests/torch/check_tune_models.py` on {answer['date']}: {answer['device']}, torch {answer['torch']}.", ""]
    for name, rows in answer["sets"].items():
        if not rows:
            continue
        cells = []
        for row in (row for row in rows if row["policy"] is not None):
            before, after = row["before"], row["after"]
            changes = [f"{before[key]} → {after[key]}" for key in ("compiles", "breaks", "eager_calls", "compile_seconds")]
            dynamic = row["usual"].get("dynamic=True", {}).get("compiles", "raises")
            policy = row["policy"].replace("|", "\\|")
            cells.append([row["program"], *changes, f"`{policy}`", str(dynamic), str(row["least"]), str(len(row["withdrawn"]))])
        head = [name, "compiles", "breaks", "eager calls", "compile s", "kept", "`dynamic=True`", "fewest", "withdrawn"]
        unchanged = [row["program"] for row in rows if row["policy"] is None]
        lines += table(head, cells) + [""]
        if unchanged:
            lines += [f"No action helps {len(unchanged)} of {len(rows)}: {', '.join(unchanged)}.", ""]
    return lines


def predict_models_lines(answer: Figures) -> list[str]:
    """Return a row for each set of models, and the answers that are missing or wrong."""
    lines = [f"Measured by `tests/torch/check_predict_models.py` on {answer['date']}: {answer['device']}, torch {answer['torch']}.", ""]
    cells = []
    lacking = []
    for name, figures in answer["sets"].items():
        answered = f"{figures['answered']} ({figures['answered'] / figures['asked']:.0%})"
        right = f"{figures['right']} ({figures['right'] / max(1, figures['answered']):.0%})"
        cells.append([name, str(figures["models"]), str(figures["asked"]), answered, right])
        for row in figures["not_right"]:
            told = row["why"] if row["predicted"] is None else f"{row['predicted']} predicted"
            lacking.append([row["model"], f"`{row['policy']}`", str(row["compiled"]), told])
    lines += table(["predictions of", "models", "asked", "answered", "right of these"], cells) + [""]
    if lacking:
        lines += table(["not answered, or wrong", "policy", "graphs", "predicted"], lacking) + [""]
    return lines


WRITERS = {
    "shapewise.predict_models/1": predict_models_lines,
    "shapewise.tune_models/1": tune_models_lines,
    "shapewise.instructions/1": lambda answer: [],  # checked by bench.instructions; not shown
    "shapewise.recorder_cost/1": recorder_lines,
    "shapewise.fuzzing/1": fuzzing_lines,
    "shapewise.speeds/1": speed_lines,
    "shapewise.captioning/1": study_lines,
    "shapewise.regret/1": regret_lines,
    "shapewise.check_speed/1": check_speed_lines,
    "shapewise.padding_gallery/1": padding_gallery_lines,
}


def main(arguments: list[str]) -> int:
    """Print the figures or check a page."""
    answer: Figures = json.loads(Path(arguments[0]).read_text(encoding="utf-8"))
    lines = WRITERS.get(answer["schema"], lines_of)(answer)
    if arguments[1:2] == ["--check"]:
        text = Path(arguments[2]).read_text(encoding="utf-8").splitlines()
        missing = [line for line in lines if line and line not in text]
        for line in missing:
            print(f"not in {arguments[2]}: {line}")
        return 1 if missing else 0
    print("\n".join(lines).rstrip())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
