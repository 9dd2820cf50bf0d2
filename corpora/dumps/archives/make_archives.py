"""Makes the archives beside it and INDEX.jsonl, which tells what the live objects held.

    python3 make_archives.py FOLDER        # torch 2.13

Members that hold paths of the machine (*.debug_pkl) are left out. The old layouts are written by hand from what torch 2.13
serializes, as the schema of their time wrote it: torch 2.7 (8.7), 2.5 (7.3) and 2.1 (1).
"""

import io
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys
import zipfile

import torch
from torch import nn

OUT = pathlib.Path(sys.argv[1])
ROWS = []


class Many(nn.Module):
    """Several results, a condition, lifted constants, symbolic results."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.ones(4, 4))
        self.register_buffer("b", torch.zeros(4))
        self.k = torch.ones(4)

    def forward(self, x, y, n: int):
        a, c = torch.split(x @ self.w + self.b, 2, dim=-1)
        v, i = torch.max(a, dim=0)
        q = torch.topk(x, 2)[0]
        r = torch.cond(x.sum() > 0, lambda z: z.sin(), lambda z: z.cos(), (x,))
        m = torch.unbind(y)
        return v + self.k[:2], c * n, r, q, m[1], [x.shape[0] // 2, y.shape[1] + 1], {"z": x.new_zeros((x.shape[0],), dtype=torch.int64)}


class Unbacked(nn.Module):
    def forward(self, x, keep):
        size = keep.item()
        torch._check(size >= 2)
        torch._check(size <= x.shape[0])
        return x[:size] * 2, x.narrow(0, 0, size).sum()


class Strict(nn.Module):
    """Sizes made of a symbol, sizes out of data here and in a branch: two traces, of which the first leaves ranges behind."""

    def forward(self, x, y, keep):
        size = keep.item()
        torch._check(size >= 2)
        torch._check(size <= 40)
        rows = torch.cond(x.sum() > 0, lambda z: z.nonzero().sum(), lambda z: z.sum().to(torch.int64), (x,))
        return x + y.reshape(-1, 2, 3).sum(1), torch.zeros(size, 3), rows


@torch.jit.script
def scale(x: torch.Tensor, factor: float = 2.0) -> torch.Tensor:
    return x * factor


@torch.jit.script
def blend(x: torch.Tensor, n: int, others: list[torch.Tensor], last: torch.Tensor | None = None) -> tuple[torch.Tensor, int]:
    y = x * n
    if last is not None:
        y = y + last
    for other in others:
        y = y + scale(other)
    return y, n


def truth_of(program) -> dict:
    nodes = list(program.graph.nodes)
    targets: dict[str, int] = {}
    for node in nodes:
        if node.op == "call_function":
            name = str(node.target) if isinstance(node.target, torch._ops.OpOverload) else None
            name = name or (f"higher_order.{node.target.name()}" if isinstance(node.target, torch._ops.HigherOrderOperator) else f"operator.{node.target.__name__}")
            targets[name] = targets.get(name, 0) + 1
    placeholders = []
    for node in nodes:
        if node.op == "placeholder":
            value = node.meta.get("val")
            placeholders.append({"name": node.name, "shape": [str(s) for s in value.shape] if isinstance(value, torch.Tensor) else None})
    edges = {node.name: [arg.name for arg in node.all_input_nodes] for node in nodes}
    return {
        "nodes": [node.name for node in nodes], "targets": targets, "placeholders": placeholders, "edges": edges,
        "ranges": {str(k): str(v) for k, v in program.range_constraints.items()},
        "kinds": {spec.arg.name: spec.kind.name.lower() for spec in program.graph_signature.input_specs},
    }


def rewrite(source: bytes, keep=lambda name: not name.endswith(".debug_pkl")) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(source)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for info in old.infolist():
            if keep(info.filename):
                data = old.read(info.filename)
                if info.filename.endswith(".json"):
                    data = re.sub(rb'/[^" ]*?/site-packages/', b"/usr/local/lib/python3.11/site-packages/", data)
                new.writestr(zipfile.ZipInfo(info.filename), data, compress_type=zipfile.ZIP_DEFLATED)
    return out.getvalue()


def archive(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name, data in members.items():
            new.writestr(zipfile.ZipInfo(name), data, compress_type=zipfile.ZIP_DEFLATED)
    return out.getvalue()


def write(name: str, data: bytes, **row) -> None:
    (OUT / name).write_bytes(data)
    ROWS.append({"file": name, **row})


def srepr_to_text(text: str) -> str:
    import sympy
    from torch.utils._sympy import functions

    names = {key: getattr(functions, key) for key in dir(functions)}
    return str(sympy.sympify(text, locals=names))


def older(node, schema: int):
    """The JSON of an exported program as older schemas wrote it."""
    if isinstance(node, list):
        return [older(item, schema) for item in node]
    if not isinstance(node, dict):
        return node
    result = {}
    for key, value in node.items():
        if key == "name" and "outputs" in node:
            continue  # the name of a node: since 8.9
        if key == "kind" or key == "is_hop_single_tensor_return":
            continue
        if key == "expr_str" and schema < 8:
            value = srepr_to_text(value)
        if key == "hint" and schema < 2 and value is not None:
            value = value["as_int"]
        if key in ("sym_float_values", "guards_code", "custom_obj_values"):
            continue
        result[key] = older(value, schema)
    if node.get("is_hop_single_tensor_return") is False:
        # A tuple of one was a list before there was a word for it.
        result["outputs"] = [{"as_tensors": [output["as_tensor"] for output in result["outputs"]]}]
    return result


def export_all() -> None:
    batch = torch.export.Dim("batch", min=2, max=64)
    many = torch.export.export(Many(), (torch.ones(8, 4), torch.ones(3, 5), 3), dynamic_shapes=({0: batch}, {1: torch.export.Dim.AUTO}, None))
    unbacked = torch.export.export(Unbacked(), (torch.ones(9), torch.tensor(4)), dynamic_shapes=({0: torch.export.Dim.AUTO}, None))
    for name, program in (("many", many), ("unbacked", unbacked)):
        buffer = io.BytesIO()
        torch.export.save(program, buffer)
        write(f"{name}.pt2", rewrite(buffer.getvalue()), kind="torch.export.save", expect=truth_of(program))

    # Several programs in one package.
    from torch.export.pt2_archive._package import package_pt2

    buffer = io.BytesIO()
    package_pt2(buffer, exported_programs={"encoder": unbacked, "decoder": many})
    write("two_models.pt2", rewrite(buffer.getvalue()), kind="package of two programs", graphs=["decoder", "encoder"])

    serialized = torch._export.serde.serialize.serialize(many)
    program = json.loads(serialized.exported_program)
    for schema, minor, version in ((8, 7, "2.7.1"), (7, 3, "2.5.1"), (1, None, None)):
        old = older(program, schema)
        old["schema_version"] = {"major": schema, "minor": minor} if minor is not None else schema
        old.pop("torch_version")
        if version:
            old["torch_version"] = version
        module = old["graph_module"]
        if schema == 1:
            specs = module["signature"]["input_specs"]
            module["signature"] = {
                "inputs_to_parameters": {s["parameter"]["arg"]["name"]: s["parameter"]["parameter_name"] for s in specs if "parameter" in s},
                "inputs_to_buffers": {s["buffer"]["arg"]["name"]: s["buffer"]["buffer_name"] for s in specs if "buffer" in s},
                "user_inputs": ["x", "y"], "user_outputs": [],
            }
            old["range_constraints"]["s77"]["max_val"] = 64
            old["range_constraints"]["s94"]["max_val"] = "Infinity"
            # Constants were no inputs by then.
            module["graph"]["inputs"] = [i for i in module["graph"]["inputs"] if "as_tensor" in i]
        write(f"old_{schema}.pt2", archive({
            "serialized_exported_program.json": json.dumps(old).encode(), "serialized_state_dict.pt": b"", "serialized_constants.pt": b"",
            "serialized_example_inputs.pt": b"", "version": f"{schema}.{minor or 0}".encode(),
        }), kind=f"old layout, schema {schema}", expect={**truth_of(many), "torch_version": version})
    write("aotinductor.pt2", archive({
        "model/archive_format": b"pt2", "model/archive_version": b"0", "model/data/aotinductor/model/abc.wrapper.so": b"\x7fELF",
        "model/data/aotinductor/model/abc.wrapper_metadata.json": b"{}",
    }), kind="AOTInductor package without a program", refused="AOTInductor")


def symbols_of(graph) -> set:
    """Symbols of the sizes and scalars that the nodes of `graph` have."""
    symbols = set()
    for node in graph.nodes:
        value = node.meta.get("val")
        sizes = [value] if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) else []
        if isinstance(value, torch.Tensor):
            sizes = [*value.shape, *value.stride()]
        for size in sizes:
            if hasattr(size, "node"):
                symbols |= size.node.expr.free_symbols
    return symbols


def strict_all() -> None:
    d = torch.export.Dim("d", min=3, max=20)
    inputs = (torch.randn(8, 3), torch.randn(16, 3), torch.tensor(5))
    program = torch.export.export(Strict(), inputs, dynamic_shapes={"x": {0: d}, "y": {0: 2 * d}, "keep": None}, strict=True)
    inner = {str(n.target): getattr(program.graph_module, str(n.target)).graph for n in program.graph.nodes if n.op == "get_attr"}
    stated = program.range_constraints

    def ranges_of(graph) -> dict:
        return {str(key): str(stated[key]) for key in sorted(symbols_of(graph), key=str) if key in stated}

    expect = {
        **truth_of(program), "ranges": ranges_of(program.graph), "inner_ranges": {name: ranges_of(graph) for name, graph in inner.items()},
        "size_ranges": {str(key): str(value) for key, value in stated.items() if not key.is_symbol and key.free_symbols <= symbols_of(program.graph)},
    }
    assert len(stated) > len(expect["ranges"]) + len(expect["size_ranges"]), "no range is left of the first trace"
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    write("strict.pt2", rewrite(buffer.getvalue()), kind="torch.export.save, strict", expect=expect)
    text = re.sub(r"# File: \S*/", "# File: /tmp/app/", str(program))
    write("strict.txt", text.encode(), kind="print(ExportedProgram), strict", expect=expect)


def functions_all() -> None:
    kinds: dict[str, int] = {}
    nodes = list(blend.graph.nodes())
    while nodes:
        node = nodes.pop()
        nodes += [inner for block in node.blocks() for inner in block.nodes()]
        if node.kind().startswith("aten::"):
            kinds[node.kind()] = kinds.get(node.kind(), 0) + 1
    inputs = [value.debugName().split(".")[0] for value in blend.graph.inputs()]
    write("function_code.txt", blend.code.encode(), kind="print(function.code)", expect={"aten": kinds, "inputs": inputs})


class Cell(nn.Module):
    def __init__(self, size: int):
        super().__init__()
        self.lin = nn.Linear(size, size)
        self.register_buffer("scale", torch.ones(size))

    def forward(self, x, flag: bool = True):
        y = self.lin(x) * self.scale
        if flag:
            y = torch.relu(y)
        return y


class Deep(nn.Module):
    def __init__(self):
        super().__init__()
        self.cells = nn.ModuleList([Cell(3), Cell(3)])
        self.conv = nn.Sequential(nn.Conv1d(1, 2, 3), nn.BatchNorm1d(2))
        self.last = Cell(3)
        self.steps = 4

    def forward(self, x, names: dict[str, torch.Tensor], mask: torch.Tensor | None = None) -> tuple[torch.Tensor, list[torch.Tensor]]:
        kept: list[torch.Tensor] = []
        for cell in self.cells:
            x = cell(x)
            kept.append(x)
        count = 0
        while count < self.steps and bool(x.sum() < 10.0):
            x = self.last(x, False) + 1.5
            count += 1
        values, where = x.max(dim=-1)
        if mask is not None:
            values = values.masked_fill(mask, float("-inf"))
        z = self.conv(x.unsqueeze(1))
        if "bias" in names:
            z = z + names["bias"]
        return values + where, [kept[0], z]


def script_all() -> None:
    with torch.no_grad():
        scripted = torch.jit.script(Deep().eval())
        frozen = torch.jit.freeze(torch.jit.script(Cell(3).eval()))
    for name, module in (("deep", scripted), ("frozen", frozen)):
        buffer = io.BytesIO()
        torch.jit.save(module, buffer)
        # What PyTorch itself makes of the archive: the graph of the module that was not saved yet went through more passes.
        buffer.seek(0)
        graph = torch.jit.load(buffer).inlined_graph
        kinds: dict[str, int] = {}

        def count(block):
            for node in block.nodes():
                if node.kind().startswith("aten::"):
                    kinds[node.kind()] = kinds.get(node.kind(), 0) + 1
                for inner in node.blocks():
                    count(inner)

        count(graph)
        shapes = {f"{key}": list(value.shape) for key, value in module.state_dict().items()}
        inputs = [value.debugName().split(".")[0] for value in graph.inputs()]
        write(f"{name}.pt", rewrite(buffer.getvalue()), kind="torch.jit.save", expect={"aten": kinds, "inputs": inputs, "shapes": shapes})
        text = re.sub(r"/\S*?/site-packages/", "/usr/local/lib/python3.11/site-packages/", str(graph))
        write(f"{name}_inlined_graph.txt", text.encode(), kind="print(inlined_graph)", expect={"aten": kinds, "inputs": inputs})
        write(f"{name}_code.txt", module.code.encode(), kind="print(module.code)", expect={"inputs": inputs})

    lite = torch.jit.script(Cell(3).eval())._save_to_buffer_for_lite_interpreter()
    write("lite.ptl", rewrite(lite, lambda name: not name.endswith(".debug_pkl") and "/code/" not in name and not name.endswith("callstack_debug_map")), kind="lite interpreter, without code", refused="lite interpreter")
    for name, zipped in (("checkpoint.pt", True), ("legacy_checkpoint.pt", False)):
        buffer = io.BytesIO()
        torch.save({"w": torch.ones(2)}, buffer, _use_new_zipfile_serialization=zipped)
        write(name, buffer.getvalue(), kind="torch.save", refused="checkpoint")

    members = {}
    with zipfile.ZipFile(OUT / "deep.pt") as deep:
        members = {name: deep.read(name) for name in deep.namelist()}
    root = next(name for name in members if name.endswith("data.pkl") and "constants" not in name)

    class Evil:
        def __reduce__(self):
            return os.system, ("touch /tmp/app/pwned",)

    members[root] = pickle.dumps(Evil(), protocol=2)
    write("evil_state.pt", archive(members), kind="a data.pkl that runs a command when Python loads it", refused="posix.system")


JIT_LOG = """
import torch
@torch.jit.script
def f(x, n: int):
    y = x * 2
    for i in range(n):
        y = torch.relu(y) + x
    return y
x = torch.ones(3, 2, requires_grad=True)
for _ in range(3): f(x, 2)
print(torch.jit.last_executed_optimized_graph())
"""


def log_all() -> None:
    program = OUT / "jit_log_program.py"
    program.write_text(JIT_LOG.lstrip())
    done = subprocess.run([sys.executable, "jit_log_program.py"], cwd=OUT, capture_output=True, text=True, check=True, env={**os.environ, "PYTORCH_JIT_LOG_LEVEL": ">>profiling_graph_executor_impl"})
    log = re.sub(r'File "[^"]*/', 'File "/tmp/app/', done.stderr)
    log = re.sub(r"# \S*/jit_log_program.py", "# /tmp/app/jit_log_program.py", log)
    (OUT / "optimized_graph.txt").write_text(re.sub(r"# \S*/jit_log_program.py", "# /tmp/app/jit_log_program.py", done.stdout))
    end = log.rfind("return (", 0, 20_000)
    (OUT / "jit_log.txt").write_text(log[: log.index("\n", end) + 1])
    ROWS.append({"file": "optimized_graph.txt", "kind": "last_executed_optimized_graph"})
    ROWS.append({"file": "jit_log.txt", "kind": "PYTORCH_JIT_LOG_LEVEL"})


OUT.mkdir(parents=True, exist_ok=True)
torch.manual_seed(0)
export_all()
script_all()
log_all()
strict_all()
functions_all()
(OUT / "INDEX.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
