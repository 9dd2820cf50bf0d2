"""Graphs as Python text, as TORCH_TRACE's dynamo_output_graph and print_readable() give them,
made into a program whose `Step` takes what calls bring.

Placeholders are bound by their sources: those that calls tell become arguments, sizes of these are
read off, and what is left are parameters: random, the same in every run.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .errors import ReplayError
from .graph_loader import inputs_of_loader
from .sources import argument_name, guard_source

__all__ = ["GraphProgram", "program_of_graph"]

HEADER = """\
import math
import operator
from math import inf, nan

import torch
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree
from torch import device, tensor

NoneType = type(None)
"""

# Names of dtypes in annotations of torch.fx.
DTYPES = {
    **{"f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16"},
    **{"i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8", "u8": "uint8", "b8": "bool"},
    **{"c64": "complex64", "c128": "complex128", "f8e4m3fn": "float8_e4m3fn"},
}


@dataclass
class GraphProgram:
    """A program that defines `Step(maker)`, a module; `maker` is a values.ValueMaker."""

    source: str
    arguments: dict[str, str]  # names of inputs in call records -> arguments of Step
    notes: list[str] = field(default_factory=list)  # what was assumed


@dataclass(frozen=True)
class Placeholder:
    name: str
    source: str  # as guards spell it; "" if not known
    dtype: str  # "" if it is no tensor, or not known
    shape: tuple[Any, ...] | None  # numbers, and texts for symbolic sizes
    stride: tuple[int, ...] | None
    device: str
    requires_grad: bool
    symbol: str  # what it is called in sizes, if it is a size
    value: int | None  # a size in the text

    @property
    def is_parameter(self) -> bool:
        return "parameters" in f"{self.source} {self.name}" or self.requires_grad


def program_of_graph(
    text: str, inputs: Sequence[dict[str, Any]], recorded: Iterable[str]
) -> GraphProgram:
    """The program of a graph; `recorded` are the names of inputs in call records.

    Raises ReplayError: what of the graph cannot be run, and why.
    """
    tree, loaded = _graph_class(text)
    forward = next(
        (
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name == "forward"
        ),
        None,
    )
    if forward is None:
        raise ReplayError("the graph's text has no forward()")
    placeholders = _placeholders(forward, inputs, loaded)
    arguments = {name: argument_name(name) for name in recorded}
    by_source = {guard_source(name): argument for name, argument in arguments.items()}
    bound = _bind(placeholders, by_source)
    for holder in placeholders:
        if holder.value is not None:
            bound.setdefault(holder.name, repr(holder.value))
    used = {re.split(r"\W", expression)[0] for expression in bound.values()}
    arguments = {name: argument for name, argument in arguments.items() if argument in used}
    parameters = [holder for holder in placeholders if holder.name not in bound]
    notes = [f"{len(parameters)} inputs that no call contains have random values"] * bool(
        parameters
    )
    constants, constant_notes = _constants(tree, forward)
    source = "\n".join(
        [
            HEADER,
            _source_of_graph(tree),
            _source_of_step(arguments, bound, parameters, constants),
        ]
    )
    return GraphProgram(source, arguments, notes + constant_notes)


def _graph_class(text: str) -> tuple[ast.ClassDef, list[dict[str, Any]]]:
    """The class of a graph, or one around a lone forward(), and the inputs of load_args()."""
    lines = text.expandtabs(4).splitlines()
    first = next((i for i, line in enumerate(lines) if re.match(r"\s*(class|def) ", line)), None)
    if first is None:
        raise ReplayError("it is no Python text of a graph: there is neither class nor def")
    lines = lines[first:]
    is_class = lines[0].lstrip().startswith("class ")
    # Logs print a path before the class, so only its line is indented.
    body_indent = next((len(line) - len(line.lstrip()) for line in lines[1:] if line.strip()), 0)
    if is_class and len(lines[0]) - len(lines[0].lstrip()) >= body_indent:
        lines[0] = lines[0].lstrip()
    cleaned = textwrap.dedent("\n".join(lines))
    if not is_class:
        cleaned = "class GraphModule(torch.nn.Module):\n" + textwrap.indent(cleaned, "    ")
    try:
        tree = ast.parse(cleaned)
    except SyntaxError as error:
        raise ReplayError(
            f"the graph's text, line {first + (error.lineno or 0)}: {error.msg}"
        ) from None
    graphs = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    for graph in graphs:
        if any(isinstance(node, ast.FunctionDef) and node.name == "forward" for node in graph.body):
            return graph, inputs_of_loader(tree)
    raise ReplayError("the graph's text has no class with a forward()")


def _placeholders(
    forward: ast.FunctionDef, inputs: Sequence[dict[str, Any]], loaded: Sequence[dict[str, Any]]
) -> list[Placeholder]:
    names = [argument.arg for argument in forward.args.args[1:]]
    by_name = {item.get("name"): item for item in inputs}
    holders = []
    for position, argument in enumerate(forward.args.args[1:]):
        annotation = argument.annotation
        text = str(annotation.value) if isinstance(annotation, ast.Constant) else ""
        loader = loaded[position] if position < len(loaded) else {}
        # Names of nodes differ from arguments of forward(): l_x_ for L_x_.
        in_place = inputs[position] if len(inputs) == len(names) else {}
        item = by_name.get(argument.arg, in_place)
        given = item.get("type") or _type_of_annotation(text) or loader.get("type", {})
        shape, stride = given.get("shape"), given.get("stride")
        symbol = re.fullmatch(r"Sym\((\w+)\)", text)
        holders.append(
            Placeholder(
                name=argument.arg,
                source=guard_source(item["source"]) if item.get("source") else "",
                dtype=(given.get("dtype") or "").removeprefix("torch."),
                shape=None if shape is None else tuple(shape),
                stride=_numbers(stride),
                device=given.get("device") or "",
                requires_grad=bool(given.get("requires_grad")),
                symbol=_symbol(given.get("value")) or (symbol[1] if symbol else argument.arg),
                value=loader.get("value"),
            )
        )
    return holders


def _numbers(sizes: Any) -> tuple[int, ...] | None:
    """Sizes that are all numbers."""
    is_known = sizes is not None and all(isinstance(size, int) for size in sizes)
    return tuple(sizes) if is_known else None


def _type_of_annotation(text: str) -> dict[str, Any]:
    """The members of a type such as "f32[8, s0][s0, 1]cpu"."""
    match = re.match(r"(\w+)\[([^\]]*)\](?:\[([^\]]*)\])?([\w:]*)", text)
    if not match or match[1] not in DTYPES:
        return {}
    given: dict[str, Any] = {"dtype": DTYPES[match[1]], "shape": _sizes(match[2])}
    if match[3] is not None:
        given["stride"] = _sizes(match[3])
    if match[4]:
        given["device"] = match[4]
    return given


def _sizes(text: str) -> list[Any]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    return [int(part) if part.isdecimal() else part for part in parts]


def _bind(placeholders: Sequence[Placeholder], by_source: dict[str, str]) -> dict[str, str]:
    """Each placeholder as an expression of Step's arguments, if calls contain it."""
    bound: dict[str, str] = {}
    by_mangled = {re.sub(r"[^a-zA-Z0-9]+", "_", source): source for source in by_source}
    for holder in placeholders:
        source = holder.source or by_mangled.get(holder.name, "")
        expression = _expression(source, by_source)
        if not expression and holder.name in by_source.values():
            expression = holder.name
        if expression:
            bound[holder.name] = expression
    # A symbol without a source is the size of an input with this symbol as its size.
    for holder in placeholders:
        if holder.name in bound or holder.dtype:
            continue
        for other in placeholders:
            if other.name not in bound or other.shape is None:
                continue
            dims = [_symbol(size) for size in other.shape]
            if holder.symbol in dims:
                bound[holder.name] = f"{bound[other.name]}.size({dims.index(holder.symbol)})"
                break
    return bound


def _symbol(size: Any) -> Any:
    return size.get("sym") if isinstance(size, dict) else size


def _expression(source: str, by_source: dict[str, str]) -> str:
    """`source` with the input that it begins with written as an argument; "" if none."""
    fits = [known for known in by_source if _begins_with(source, known)]
    if not fits:
        return ""
    known = max(fits, key=len)
    return by_source[known] + source[len(known) :]


def _begins_with(source: str, known: str) -> bool:
    return source.startswith(known) and (len(source) == len(known) or source[len(known)] in ".[")


def _constants(
    tree: ast.ClassDef, forward: ast.FunctionDef
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Attributes without values in the text, with their types if the text has them."""
    nested = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
    constants: dict[str, dict[str, Any]] = {}
    for node in ast.walk(forward):
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)):
            continue
        if node.value.id == "self" and node.attr not in nested:
            constants.setdefault(node.attr, {})
    for node in ast.walk(forward):
        if not (isinstance(node, ast.AnnAssign) and isinstance(node.value, ast.Attribute)):
            continue
        if node.value.attr in constants and isinstance(node.annotation, ast.Constant):
            constants[node.value.attr] = _type_of_annotation(str(node.annotation.value))
    for name, given in constants.items():
        is_float = "float" in given.get("dtype", "")
        if not is_float or not all(isinstance(size, int) for size in given["shape"]):
            raise ReplayError(f"the text does not hold the value of self.{name}")
    return constants, [f"self.{name} has random values" for name in constants]


def _source_of_graph(tree: ast.ClassDef) -> str:
    """The class, named Graph, whose nested classes become modules of its own."""
    tree.name = "Graph"
    return ast.unparse(_with_submodules(tree)) + "\n"


def _with_submodules(tree: ast.ClassDef) -> ast.ClassDef:
    nested = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    made = "".join(f"    self.{node.name} = type(self).{node.name}()\n" for node in nested)
    if made:
        text = f"def __init__(self):\n    super().__init__()\n{made}"
        tree.body.insert(0, ast.parse(text).body[0])
    for node in nested:
        _with_submodules(node)
    return ast.fix_missing_locations(tree)


def _source_of_step(
    arguments: dict[str, str],
    bound: dict[str, str],
    parameters: Sequence[Placeholder],
    constants: dict[str, dict[str, Any]],
) -> str:
    taken = list(dict.fromkeys(arguments.values()))
    lines = [
        "class Step(torch.nn.Module):",
        "    def __init__(self, maker):",
        "        super().__init__()",
        "        self.graph = Graph()",
    ]
    for name, given in constants.items():
        value = f"weights(maker, {name!r}, {_record(given)!r})"
        lines.append(f"        self.graph.{name} = {value}")
    for holder in parameters:
        value = f"weights(maker, {holder.name!r}, {_record_of(holder)!r})"
        if holder.is_parameter and "float" in holder.dtype:
            value = f"torch.nn.Parameter({value})"
            lines.append(f"        self.{_attribute(holder)} = {value}")
        else:
            lines.append(f"        self.register_buffer({_attribute(holder)!r}, {value})")
    values = [f"{name}={expression}" for name, expression in bound.items()]
    values += [f"{holder.name}=self.{_attribute(holder)}" for holder in parameters]
    lines += [
        "",
        f"    def forward(self, {', '.join(taken)}):",
        f"        return self.graph({', '.join(values)})",
    ]
    return WEIGHTS + "\n\n" + "\n".join(lines) + "\n"


WEIGHTS = '''
def weights(maker, name, given):
    """Random weights of a size that keeps activations in bounds: they are not in the text."""
    value = maker.tensor(given, name)
    if not value.is_floating_point():
        return torch.zeros_like(value)
    if value.dim() >= 2:
        return value / math.sqrt(max(1, value[0].numel()))
    if "weight" in name or "var" in name:
        return 1 + 0.1 * torch.tanh(value)
    return 0.1 * value
'''


def _attribute(holder: Placeholder) -> str:
    return f"held_{holder.name}"


def _record_of(holder: Placeholder) -> dict[str, Any]:
    what = f"'{holder.source or holder.name}'"
    if not holder.dtype or holder.shape is None:
        raise ReplayError(
            f"no call contains the input {what}, and the text does not contain its type"
        )
    if not all(isinstance(size, int) for size in holder.shape):
        raise ReplayError(f"no call contains the input {what}, whose size varies")
    given = {"dtype": holder.dtype, "shape": holder.shape}
    if holder.stride is not None:
        given["stride"] = holder.stride
    if holder.device.startswith("cpu"):
        given["device"] = "cpu"
    return _record(given)


def _record(given: dict[str, Any]) -> dict[str, Any]:
    record: dict[str, Any] = {"size": list(given["shape"]), "dtype": given["dtype"]}
    if all(isinstance(step, int) for step in given.get("stride", ("",))):
        record["stride"] = list(given["stride"])
    return record
