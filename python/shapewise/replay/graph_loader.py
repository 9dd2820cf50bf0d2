"""Reads a graph's inputs from load_args() of an fx_graph_runnable.py, without running it."""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["inputs_of_loader"]


def inputs_of_loader(tree: ast.Module) -> list[dict[str, Any]]:
    """The inputs in order: {"type": {...}} of a tensor, {"value": 8} of a size, {} of others."""
    loader = next(
        (
            node
            for node in tree.body
            if isinstance(node, ast.FunctionDef) and node.name == "load_args"
        ),
        None,
    )
    if loader is None:
        return []
    storages: dict[str, dict[str, Any]] = {}
    inputs: list[dict[str, Any]] = []
    for statement in loader.body:
        if not isinstance(statement, ast.Assign | ast.Expr):
            continue
        call = statement.value
        if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute)):
            continue
        if isinstance(statement, ast.Assign):
            target = statement.targets[0]
            if isinstance(target, ast.Name):
                storages[target.id] = _named(call)
        elif call.func.attr == "tensor":
            inputs.append({"type": _tensor(call, storages)})
        elif call.func.attr == "symint" and call.args:
            inputs.append({"value": _literal(call.args[0])})
        else:
            inputs.append({})
    return inputs


def _tensor(call: ast.Call, storages: dict[str, dict[str, Any]]) -> dict[str, Any]:
    storage = call.args[0] if call.args else None
    given = {**(storages.get(storage.id, {}) if isinstance(storage, ast.Name) else {})}
    given.update(_named(call))
    values = [_literal(argument) for argument in call.args[1:3]]
    return {
        "shape": values[0] if values else None,
        "stride": values[1] if len(values) > 1 else None,
        "dtype": given.get("dtype") or given.get("dtype_hint") or "float32",
        "device": given.get("device"),
        "requires_grad": given.get("requires_grad", False),
    }


def _named(call: ast.Call) -> dict[str, Any]:
    return {keyword.arg: _literal(keyword.value) for keyword in call.keywords if keyword.arg}


def _literal(node: ast.expr) -> Any:
    """A literal, the name of a dtype for torch.float16, the text in device(type='cpu')."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Call) and (node.args or node.keywords):
        return _literal(node.args[0] if node.args else node.keywords[0].value)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None
