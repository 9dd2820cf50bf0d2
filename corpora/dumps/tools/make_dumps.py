#!/usr/bin/env python3
"""Writes dumps of graphs in every form that PyTorch prints, and beside them what the live graphs hold.

    python3 make_dumps.py OUT_DIR        (torch 2.13; any machine without a GPU)

Each row of OUT_DIR/INDEX.jsonl: id, file, kind, torch, expect {node_count, op_kinds, targets, node_names, edges, placeholders,
symbols, range_constraints}. `edges` are the names of the nodes that each node takes, in order, as often as it takes them. Everything
in `expect` comes from the objects, nothing from the text.
"""

import collections
import contextlib
import io
import json
import pathlib
import sys

import torch
import torch.nn.functional as F
from torch import nn
from torch.fx.experimental.symbolic_shapes import free_symbols

OUT = pathlib.Path(sys.argv[1])
ROWS = []


def qualified(target) -> str:
    if isinstance(target, str):
        return target
    if isinstance(target, (torch._ops.OpOverload, torch._ops.HigherOrderOperator)):
        return str(target) if isinstance(target, torch._ops.OpOverload) else f"higher_order.{target.name()}"
    name = torch.fx.node._get_qualified_name(target)
    return name.removeprefix("torch.ops.")


def describe(value):
    if isinstance(value, torch.Tensor):
        row = {"dtype": str(value.dtype), "shape": [str(s) for s in value.shape]}
        if value.layout == torch.strided:
            row["stride"] = [str(s) for s in value.stride()]
        return row
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return {"scalar": str(value)}
    return None


def meta_of(node):
    return node.meta.get("val", node.meta.get("example_value"))


def inputs_of(node) -> list[str]:
    names = []
    torch.fx.node.map_arg((node.args, node.kwargs), lambda n: names.append(n.name) or n)
    return names


def symbols_of(graph, strides: bool) -> list[str]:
    names = set()
    for node in graph.nodes:
        value = meta_of(node)
        if isinstance(value, torch.Tensor):
            for size in (*value.shape, *(value.stride() if strides else ())):
                names |= {str(s) for s in free_symbols(size)} if isinstance(size, torch.SymInt) else set()
        elif isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            names |= {str(s) for s in free_symbols(value)}
    return sorted(names)


def truth(graph, strides: bool = True) -> dict:
    nodes = list(graph.nodes)
    rows = []
    for node in nodes:
        if node.op == "placeholder":
            rows.append({"name": node.name, "target": str(node.target).lstrip("*"), "val": describe(meta_of(node))})
    return {
        "node_count": len(nodes),
        "op_kinds": dict(collections.Counter(n.op for n in nodes)),
        "targets": dict(collections.Counter(qualified(n.target) for n in nodes if n.op not in ("placeholder", "output", "get_attr"))),
        "node_names": [n.name for n in nodes],
        "edges": {n.name: inputs_of(n) for n in nodes if n.op != "placeholder"},
        "placeholders": rows,
        "symbols": symbols_of(graph, strides),
    }


def write(name: str, text: str, kind: str, expect: dict) -> None:
    text = text.replace(torch.__path__[0].rsplit("/site-packages", 1)[0], "/usr/local/lib/python3.11")
    (OUT / name).write_text(text)
    ROWS.append({"id": f"fx{len(ROWS):02}", "file": name, "kind": kind, "torch": torch.__version__, "expect": expect})


def printed(function) -> str:
    buffer = io.StringIO()
    with contextlib.redirect_stdout(buffer):
        function()
    return buffer.getvalue()


def write_all_forms(name: str, module, forms: str = "all") -> None:
    graph = module.graph
    whole, plain = truth(graph), truth(graph, strides=False)
    write(f"{name}.readable.txt", module.print_readable(False, include_stride=True, include_device=True),
          "print_readable, strides and devices", whole)
    write(f"{name}.graph.txt", str(graph) + "\n", "print(graph)", plain)
    write(f"{name}.code.txt", module.code, "GraphModule.code", plain)
    if forms != "all":
        return
    write(f"{name}.plain.txt", module.print_readable(False), "print_readable", plain)
    write(f"{name}.colored.txt", module.print_readable(False, include_stride=True, include_device=True, colored=True),
          "print_readable, coloured", whole)
    write(f"{name}.expanded.txt",
          module.print_readable(False, include_stride=True, include_device=True, expanded_def=True),
          "print_readable, a line an argument", whole)
    write(f"{name}.tabular.txt", printed(graph.print_tabular), "print_tabular", plain)
    write(f"{name}.module.txt", str(module) + "\n", "print(GraphModule)", plain)


def capture(function, args, dynamic=True) -> list:
    """The graphs that Dynamo makes of a call, and those that AOTAutograd makes of them."""
    from torch._dynamo.backends.common import aot_autograd

    graphs = []

    def keep(module, inputs):
        graphs.append(module)
        return module

    torch._dynamo.reset()
    with torch.enable_grad():
        torch.compile(function, backend=keep, dynamic=dynamic)(*args)
    torch._dynamo.reset()
    traced = []

    def keep_traced(module, inputs):
        traced.append(module)
        return module

    aot = aot_autograd(fw_compiler=keep_traced, bw_compiler=keep_traced)
    result = torch.compile(function, backend=aot, dynamic=dynamic)(*args)
    first = result[0] if isinstance(result, (tuple, list)) else result
    if isinstance(first, torch.Tensor) and first.requires_grad:
        first.sum().backward()
    return graphs, traced


class Containers(nn.Module):
    """Modules in lists, buffers, in-place changes, dict outputs, a symbolic float."""

    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(4, 4), nn.Linear(4, 4)])
        self.register_buffer("scale", torch.ones(4))

    def forward(self, x, t):
        for layer in self.layers:
            x = layer(x)
        y = (x * self.scale).clone()
        y[:, 0] = 0
        y += 1
        z = torch.einsum("bi,bj->bij", y, y)
        return y * t, {"z": z, "n": x.shape[0] * 2, "s": -y, "m": ~(y > 0)}


def unbacked(x):
    k = x.sum().to(torch.int64).item()
    torch._check(k >= 2)
    torch._check(k <= 64)
    return torch.zeros(k, dtype=torch.bfloat16), torch.full((2,), float("inf")), torch.arange(k) // 2


def higher_order(x):
    y = torch.cond(x.sum() > 0, lambda a: a.sin(), lambda a: a.cos(), (x,))
    with torch.autocast("cpu", dtype=torch.bfloat16):
        z = y @ y.t()
    w = torch.utils.checkpoint.checkpoint(lambda a: torch.relu(a) + 1, z, use_reentrant=False)
    return torch.nn.functional.pad(w, (0, 1), value=float("-inf")).max(dim=-1)


class Traced(nn.Module):
    """What symbolic_trace prints that Dynamo does not: modules, defaults, varargs, module paths with numbers."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 4)))
        self.w = nn.Parameter(torch.ones(4))

    def forward(self, a, b=2, *rest):
        y = self.body[1](self.body[0](a)) + b
        y = y @ torch.diag(self.w) + self.body[1][1].bias
        y = 2 ** (-y) - (1.5 / y) % 3
        i = (y.sum() > 0) & (y.mean() < 1) | ~(y.max() >= 0)
        j = y.shape[0] // 2 << 1 ^ 3
        return {"y": y[..., None, 1:2], "i": i, "dev": y.to(device=torch.device("cuda", 0), dtype=torch.float16)}, [j, rest[0]]


class Attention(nn.Module):
    def forward(self, q, k, v, mask):
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=0.0)
        return out.transpose(1, 2).reshape(q.size(0), -1, 16).softmax(-1)


class Exported(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 3)
        self.register_buffer("offset", torch.zeros(3))

    def forward(self, x, extra):
        y = self.fc(x) + self.offset + torch.tensor([1.0, 2.0, 3.0])
        self.offset.add_(1)
        return {"y": torch.relu(y), "n": x.shape[0] + 1}, extra["a"] * 2


def while_loop(x):
    def go_on(i, acc):
        return i < 5

    def step(i, acc):
        return i + 1, acc * 2

    return torch._higher_order_ops.while_loop(go_on, step, (torch.tensor(0), x))


def main() -> None:
    OUT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    torch._dynamo.config.capture_scalar_outputs = True
    programs = {
        "containers": (Containers(), (torch.randn(5, 4), 1.5)),
        "unbacked": (unbacked, (torch.ones(7),)),
        "higher_order": (higher_order, (torch.randn(6, 6),)),
        "attention": (Attention(), (torch.randn(2, 2, 7, 8), torch.randn(2, 2, 7, 8), torch.randn(2, 2, 7, 8),
                                    torch.ones(2, 1, 7, 7, dtype=torch.bool))),
        "while_loop": (while_loop, (torch.randn(3),)),
    }
    for name, (function, args) in programs.items():
        graphs, traced = capture(function, args)
        for index, module in enumerate(graphs):
            write_all_forms(f"{name}_dynamo_{index}", module, "all" if name in ("containers", "higher_order") else "few")
        for index, module in enumerate(traced):
            write_all_forms(f"{name}_aot_{index}", module, "few")

    module = torch.fx.symbolic_trace(Traced())
    write_all_forms("traced", module)

    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Exported(), (torch.randn(4, 6), {"a": torch.ones(2)}), dynamic_shapes=({0: batch}, {"a": None}))
    expect = truth(program.graph_module.graph, strides=False)
    expect["range_constraints"] = {str(k): str(v) for k, v in program.range_constraints.items()}
    write("exported.txt", str(program), "print(ExportedProgram)", expect)
    unlifted = program.module(check_guards=False)
    write_all_forms("unlifted", unlifted, "few")

    rows = "".join(json.dumps(row) + "\n" for row in ROWS)
    (OUT / "INDEX.jsonl").write_text(rows)


main()
