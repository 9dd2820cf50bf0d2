#!/usr/bin/env python3
"""Speed and memory of `shapewise graph` on large dumps, beside grep and Python in the same run.

    tests/bench/bench_graph.py PROGRAM [--megabytes 50] [--runs 3] [--folder corpora/generated]

Three dumps are made and not stored in the repository: print_readable with annotations, comments and deletions, and print(graph),
each one graph of the given size; and a log of `--log-megabytes` (400) without a graph but for one at its end. shapewise reads them alone
(`--no-padding`) and with its verdicts. References: `grep -c =`, and Python counting lines with one regular expression. The table gives the median of user and system seconds, MB a second, and how many
times ours the others take; no figure is tested, because machines differ.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

REGULAR_EXPRESSION = """
import re, sys
node = re.compile(rb"^\\s+%?(\\w+) ?(?::.*?)? = ([^(]+)\\(")
print(sum(node.match(line) is not None for line in open(sys.argv[1], "rb")))
"""


@dataclass
class Run:
    """One process: its CPU seconds, its peak of memory, mapped files with it, and what it printed."""

    cpu: float
    rss_mib: float
    output: bytes


def make_readable(path: Path, megabytes: int) -> int:
    """Writes a graph as print_readable shows it; returns its number of nodes."""
    nodes = 4
    with path.open("w", encoding="utf-8") as out:
        out.write('class GraphModule(torch.nn.Module):\n    def forward(self, s77: "Sym(s77)", x: "f32[s77, 64][64, 1]cuda:0", ')
        out.write('b: "f32[64][1]cuda:0", w: "f32[64, 64][64, 1]cuda:0"):\n')
        last = "x"
        while out.tell() < megabytes * 1_000_000:
            for line in range(20, 60):
                out.write(f"        # File: /app/model.py:{line} in forward, code: h = self.drop(self.act(self.fc{line}(h))) + h\n")
                for op in ("view", "addmm", "add"):
                    name = f"{op}_{nodes}"
                    call = {
                        "view": f"aten.view.default({last}, [s77, 64])",
                        "addmm": f"aten.addmm.default(b, {last}, w)",
                        "add": f"aten.add.Tensor({last}, 1.5, alpha = 2)",
                    }[op]
                    out.write(f'        {name}: "f32[s77, 64][64, 1]cuda:0" = torch.ops.{call};  {last} = None\n'.replace("x = None", "_ = None"))
                    last = name
                    nodes += 1
                out.write("\n")
        out.write(f"        return ({last},)\n")
    return nodes + 1


def make_printed(path: Path, megabytes: int) -> int:
    """Writes a graph as print(graph) shows it; returns its number of nodes."""
    nodes = 1
    with path.open("w", encoding="utf-8") as out:
        out.write("graph():\n    %x : torch.Tensor [num_users=1] = placeholder[target=x]\n")
        last = "x"
        while out.tell() < megabytes * 1_000_000:
            for _ in range(100):
                name = f"add_{nodes}"
                out.write(f"    %{name} : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%{last}, 1.5), kwargs = {{alpha: 2}})\n")
                last = name
                nodes += 1
        out.write(f"    return ({last},)\n")
    return nodes + 1


def make_log(path: Path, megabytes: int) -> int:
    """Writes a training log that has one graph at its end; returns the number of its nodes."""
    lines = "".join(f"[rank{i % 8}]: 2026-01-01 00:00:{i % 60:02} step {i} loss 0.{i:06} lr 3e-4 tokens 4096\n" for i in range(10_000))
    prefix = "V1121 03:54:02.942000 14914 torch/_dynamo/output_graph.py:2835] [0/0] [__graph_code] "
    graph = (
        "TRACED GRAPH\n ===== __compiled_fn_1 =====\n /torch/fx/_lazy_graph_module.py class GraphModule(torch.nn.Module):\n"
        '    def forward(self, x: "f32[3][1]cpu"):\n        a: "f32[3][1]cpu" = x + 1;  x = None\n        return (a,)\n'
    )
    with path.open("w", encoding="utf-8") as out:
        for _ in range(max(1, megabytes * 1_000_000 // len(lines))):
            out.write(lines)
        out.writelines(prefix + line + "\n" for line in graph.splitlines())
    return 3


def run(command: list[str]) -> Run:
    """Runs `command` once."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"bench_graph: {command[0]} ended with {process.returncode}")
    return Run(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def median_run(command: list[str], runs: int) -> Run:
    """The run of median CPU time."""
    done = sorted((run(command) for _ in range(runs)), key=lambda one: one.cpu)
    return done[len(done) // 2]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--log-megabytes", type=int, default=400)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path, default=ROOT / "corpora" / "generated")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)

    makers = {
        "print_readable": (make_readable, args.megabytes),
        "print(graph)": (make_printed, args.megabytes),
        "log": (make_log, args.log_megabytes),
    }
    print(f"{'dump':16} {'MB':>6} {'nodes':>9} {'program':>18} {'CPU s':>7} {'MB/s':>7} {'times ours':>10} {'MiB':>7}")
    for name, (make, megabytes) in makers.items():
        path = args.folder / f"bench_{make.__name__.removeprefix('make_')}.txt"
        nodes = make(path, megabytes)
        size = path.stat().st_size / 1e6
        command = [args.program, "graph", "--format", "json", str(path)]
        ours = median_run([*command, "--no-padding"], args.runs)
        read = sum(graph["nodes"] for graph in json.loads(ours.output)["graphs"])
        if read != nodes:
            sys.exit(f"bench_graph: {read} nodes read of {nodes}")
        others = {
            "reading": ours,
            "with padding": median_run(command, args.runs),
            "grep -c =": median_run(["grep", "-c", "=", str(path)], args.runs),
            "python re": median_run([sys.executable, "-c", REGULAR_EXPRESSION, str(path)], args.runs),
        }
        for program, one in others.items():
            print(
                f"{name:16} {size:6.0f} {nodes:9} {program:>18} {one.cpu:7.2f} {size / max(one.cpu, 0.001):7.0f} "
                f"{one.cpu / max(ours.cpu, 0.001):10.2f} {one.rss_mib:7.0f}"
            )
        path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
