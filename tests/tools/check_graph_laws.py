#!/usr/bin/env python3
"""Checks that `graph` reads every trace that `lint` reads, whatever the order of the keys in its envelopes.

    tests/tools/check_graph_laws.py PROGRAM ROOT [--whole]

A line of a trace is an envelope in JSON; its keys have no order. tests/support/laws.py has the exit status.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.laws import Laws, run_laws

ORDERS: dict[str, Callable[[list[str]], list[str]]] = {
    "reversed": lambda keys: list(reversed(keys)),
    "sorted": sorted,
    "last key first": lambda keys: keys[-1:] + keys[:-1],
}


def read_trace(path: Path) -> list[str]:
    data = path.read_bytes()
    if path.suffix == ".gz":
        try:
            data = gzip.decompress(data)
        except EOFError:
            return []  # cut on purpose; read as it is elsewhere
    return data.decode("utf-8", "surrogateescape").split("\n")


def permute(line: str, order: str) -> str:
    """`line` with the keys of its envelope in another order; as it is if it has no envelope."""
    begin = line.find("{")
    if begin < 0 or not line.startswith("V"):
        return line
    try:
        envelope = json.loads(line[begin:])
    except ValueError:
        return line
    if not isinstance(envelope, dict):
        return line
    keys = ORDERS[order](list(envelope))
    return line[:begin] + json.dumps({key: envelope[key] for key in keys})


def traces_as_graphs(laws: Laws) -> None:
    shared = laws.root.parent / "shared/captures"
    traces = sorted((laws.root / "corpora/captured").glob("*/*/trace/*.log*")) + sorted(shared.glob("*/trace/*.log*"))
    read = 0
    for path in traces:
        if not laws.whole and path.stat().st_size > 300_000:
            continue
        graph = laws.json("graph", str(path))
        lint = laws.lint(str(path))
        laws.expect(bool(lint) == bool(graph), "graph reads what lint reads", str(path))
        lines = read_trace(path)
        if not graph or not lines:
            continue
        read += 1
        for order in ORDERS if laws.whole else list(ORDERS)[read % 3 : read % 3 + 1]:
            # The name says which rank it is.
            copy = laws.work / order / path.name.removesuffix(".gz")
            copy.parent.mkdir(exist_ok=True)
            copy.write_text(
                "\n".join(permute(line, order) for line in lines), encoding="utf-8", errors="surrogateescape"
            )
            other = laws.json("graph", str(copy))
            law = "graphs for any order of keys"
            laws.expect(other.get("graphs") == graph["graphs"], law, f"{path.name}, {order}")
            law = "findings for any order of keys"
            laws.expect(laws.lint(str(copy)).get("findings") == lint["findings"], law, f"{path.name}, {order}")
    laws.expect(read >= 5, "graph reads what lint reads", f"only {read} traces were read")


if __name__ == "__main__":
    sys.exit(run_laws("check_graph_laws", [traces_as_graphs]))
