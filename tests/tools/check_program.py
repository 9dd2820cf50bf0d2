#!/usr/bin/env python3
"""Checks that `shapewise graph --format program` writes what analyzer/docs/replay.md says, for every dump of corpora/.

    tests/tools/check_program.py PROGRAM CORPORA/dumps

Each line is one graph; it has the members of the page and no others; every value that an argument names was made
before it; every tree is one of those that the page lists.
Exit status: 0 held, 1 did not.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]

MEMBERS = {
    "schema", "graph", "name", "format", "torch", "input", "compile_id", "cut", "subgraphs",
    "symbols", "inputs", "nodes", "outputs", "padding",
}  # fmt: skip
OPERATIONS = {
    "+", "*", "//", "ceildiv", "/", "%", "**", "min", "max", "==", "!=", "<", "<=", "and", "or", "not", "call",
    "oo", "-oo",
}  # fmt: skip
NODE_OPS = {"call_function", "call_method", "call_module", "get_attr", "operator"}
TYPE_KINDS = {"tensor", "int", "float", "bool", "none", "object"}
LEAST_GRAPHS = 20


class Fault(Exception):
    """What is not as the page says."""


def need(condition: bool, what: str) -> None:
    if not condition:
        raise Fault(what)


def check_expression(tree: Any) -> None:
    """A number, a truth value, a symbol, or an operation of these; null: not told."""
    if tree is None or isinstance(tree, (bool, int)):
        return
    need(isinstance(tree, dict), f"no expression: {tree}")
    if "sym" in tree:
        need(set(tree) == {"sym"} and isinstance(tree["sym"], str), f"no symbol: {tree}")
        return
    need(tree.get("op") in OPERATIONS and set(tree) <= {"op", "args", "name"}, f"no operation: {tree}")
    need(("name" in tree) == (tree["op"] == "call"), f"a name of {tree['op']}")
    for operand in tree["args"]:
        check_expression(operand)


def check_type(told: Any) -> None:
    """The type of a value; null: nothing is told."""
    if told is None:
        return
    need(told["kind"] in TYPE_KINDS, f"no kind of a type: {told['kind']}")
    if told["kind"] == "tensor":
        need({"dtype", "device", "shape", "stride", "requires_grad"} <= set(told), f"a tensor with {sorted(told)}")
        for sizes in (told["shape"], told["stride"]):
            for size in sizes or []:
                check_expression(size)
    check_expression(told.get("value"))


class Graph:
    """One line of the output."""

    def __init__(self, json_graph: Json) -> None:
        self.graph = json_graph
        self.made: set[str] = set()
        self.is_torchscript = any(node["op"] == "operator" for node in json_graph["nodes"])

    def check_argument(self, argument: Any) -> None:
        if argument is None or isinstance(argument, (bool, int, float)):
            return
        need(isinstance(argument, dict) and len(argument) == 1, f"no argument: {argument}")
        ((tag, inside),) = argument.items()
        if tag == "value":
            # Blocks of TorchScript are arguments that name what is made in them.
            need(inside in self.made or self.is_torchscript, f"{inside} is used before it is made")
        elif tag in ("str", "const", "text"):
            need(isinstance(inside, str), f"no text: {argument}")
        elif tag == "expr":
            check_expression(inside)
        elif tag == "dict":
            for pair in inside:
                need(len(pair) == 2, f"no pair: {pair}")
                for part in pair:
                    self.check_argument(part)
        else:
            need(tag in ("list", "tuple", "slice"), f"no kind of argument: {tag}")
            need(tag != "slice" or len(inside) == 3, f"no slice: {argument}")
            for part in inside:
                self.check_argument(part)

    def check(self) -> None:
        need(set(self.graph) == MEMBERS, f"members {sorted(set(self.graph) ^ MEMBERS)}")
        need(self.graph["schema"] == "shapewise.program/1", "the schema")
        for symbol in self.graph["symbols"]:
            need(set(symbol) == {"name", "hint", "lower", "upper"}, f"a symbol: {symbol}")
        for placeholder in self.graph["inputs"]:
            need(set(placeholder) - {"default"} == {"name", "kind", "source", "type"}, f"an input: {placeholder}")
            check_type(placeholder["type"])
            self.made.add(placeholder["name"])
        for node in self.graph["nodes"]:
            need(set(node) == {"op", "target", "args", "kwargs", "outputs", "types", "line"}, f"a node: {node}")
            need(node["op"] in NODE_OPS, f"an op: {node['op']}")
            need(len(node["outputs"]) == len(node["types"]), f"types of {node['outputs']}")
            for argument in [*node["args"], *node["kwargs"].values()]:
                self.check_argument(argument)
            for told in node["types"]:
                check_type(told)
            self.made.update(node["outputs"])
        self.check_argument(self.graph["outputs"])
        for padding in self.graph["padding"]:
            need(set(padding) == {"symbol", "verdict", "inputs", "outputs_to_cut"}, f"a verdict: {padding}")


def main(arguments: list[str]) -> int:
    program, folder = arguments[0], Path(arguments[1])
    graphs, faults = 0, []
    for dump in sorted(path for path in folder.rglob("*") if path.is_file()):
        done = subprocess.run([program, "graph", "--format", "program", str(dump)], check=False, capture_output=True)
        for line in done.stdout.decode("utf-8").splitlines():
            graphs += 1
            try:
                Graph(json.loads(line)).check()
            except (Fault, KeyError, ValueError) as fault:
                faults.append(f"{dump.name}: {fault}")
    for fault in faults:
        print(fault)
    print(f"{graphs} graphs, {len(faults)} are not as they should be")
    return 0 if graphs >= LEAST_GRAPHS and not faults else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
