"""Puts an action of `shapewise advise --format json` into a program, by what it says of itself alone."""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass, field
from typing import Any


class NotApplicable(Exception):
    """The action does not say enough, or the program is not of a form that can be edited here."""


@dataclass
class Edited:
    """A program with an action put in."""

    source: str
    variables: dict[str, str] = field(default_factory=dict)  # of the environment


def apply(source: str, action: dict[str, Any]) -> Edited:
    """`source` with `action` in its place."""
    place = action["paste"]
    if place == "environment":
        return Edited(source, assignments(action["code"]))
    if place == "config":
        return Edited(insert_after_imports(source, action["code"]))
    tree = ast.parse(source)
    if place == "compile_call":
        set_arguments(tree, action)
    elif place == "before_call":
        insert_before_calls(tree, action)
    elif place == "decorator":
        decorate(tree, action)
    else:
        raise NotApplicable(f"no program knows where '{place}' is")
    return Edited(ast.unparse(ast.fix_missing_locations(tree)))


def assignments(code: str) -> dict[str, str]:
    """NAME="value" lines of a shell."""
    variables = {}
    for line in code.splitlines():
        name, _, value = line.removeprefix("export ").partition("=")
        variables[name] = value.strip('"')
    return variables


def insert_after_imports(source: str, code: str) -> str:
    """Puts statements on the line of the last import at the top: names of resume functions hold lines."""
    last = [node for node in ast.parse(source).body if isinstance(node, ast.Import | ast.ImportFrom)][-1]
    modules = {name.rpartition(".")[0] for name in dotted_names(code)}
    imports = [f"import {name}" for name in sorted(modules) if name.startswith("torch.fx.")]
    lines = source.splitlines()
    assert last.end_lineno is not None
    lines[last.end_lineno - 1] += "; " + "; ".join([*imports, *code.splitlines()])
    return "\n".join(lines) + "\n"


def dotted_names(code: str) -> list[str]:
    """What statements assign to."""
    return [
        ast.unparse(target)
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign)
        for target in node.targets
    ]


def is_compile(node: ast.expr) -> bool:
    return ast.unparse(node) == "torch.compile"


def function_at(tree: ast.Module, action: dict[str, Any]) -> ast.FunctionDef:
    """The function that the action is about. Python counts its decorators to it."""
    target = action["target"]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == target["function"]:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == target["line"]:
                return node
    raise NotApplicable(f"there is no function {target['function']} at line {target['line']}")


def owner_of(tree: ast.Module, function: ast.FunctionDef) -> ast.ClassDef | None:
    """The class whose method it is."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and function in node.body:
            return node
    return None


def class_of_names(tree: ast.Module) -> dict[str, str]:
    """Variables that hold an object of a class: `m = Model()`."""
    return {
        target.id: node.value.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Name)
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def compile_calls(tree: ast.Module, function: ast.FunctionDef) -> tuple[list[ast.Call], set[str]]:
    """The torch.compile(...) of a function, and the names by which the compiled one is called."""
    owner = owner_of(tree, function)
    classes = class_of_names(tree)
    calls: list[ast.Call] = []
    names: set[str] = set()
    for i, decorator in enumerate(function.decorator_list):
        if is_compile(decorator):
            decorator = function.decorator_list[i] = ast.Call(decorator, [], [])
        if isinstance(decorator, ast.Call) and is_compile(decorator.func):
            calls.append(decorator)
            names.add(function.name)
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and is_compile(node.value.func)):
            continue
        compiled = node.value.args[0] if node.value.args else None
        if not isinstance(compiled, ast.Name):
            continue
        is_it = compiled.id == function.name if owner is None else classes.get(compiled.id) == owner.name
        if is_it:
            calls.append(node.value)
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    if not calls:
        raise NotApplicable(f"it is not clear where {function.name} is compiled")
    return calls, names


def set_arguments(tree: ast.Module, action: dict[str, Any]) -> None:
    """Sets keyword arguments of torch.compile."""
    wanted = ast.parse(f"f({action['code']})", mode="eval").body
    assert isinstance(wanted, ast.Call)
    for call in compile_calls(tree, function_at(tree, action))[0]:
        names = {keyword.arg for keyword in wanted.keywords}
        call.keywords = [keyword for keyword in call.keywords if keyword.arg not in names] + wanted.keywords


class Renamer(ast.NodeTransformer):
    """Puts expressions in the place of parameters."""

    def __init__(self, values: dict[str, str]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(self.values.get(node.id, node.id), node.ctx)


class CallEditor(ast.NodeTransformer):
    """Puts statements before every statement that calls one of some names."""

    def __init__(self, function: ast.FunctionDef, names: set[str], is_method: bool, code: str) -> None:
        self.function = function
        self.names = names
        self.parameters = [argument.arg for argument in function.args.args][1 if is_method else 0 :]
        self.code = code
        self.edits = 0

    def before(self, statement: ast.stmt) -> list[ast.stmt]:
        """What goes in front of one statement; its arguments get names of their own."""
        added: list[ast.stmt] = []
        for node in ast.walk(statement):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self.names):
                continue
            values: dict[str, str] = {}
            for i, argument in enumerate(node.args):
                if isinstance(argument, ast.Starred):
                    raise NotApplicable("its arguments are not told apart")
                values[self.parameters[i]] = f"_argument_{i}"
                added.append(ast.Assign([ast.Name(f"_argument_{i}", ast.Store())], argument))
                node.args[i] = ast.Name(f"_argument_{i}", ast.Load())
            code = copy.deepcopy(ast.parse(self.code))
            added.extend(Renamer(values).visit(code).body)
            self.edits += 1
        return added

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if not isinstance(block, list):
                continue
            edited: list[ast.stmt] = []
            for statement in block:
                if statement is self.function:
                    edited.append(statement)
                    continue
                if not hasattr(statement, "body"):
                    edited.extend(self.before(statement))
                edited.append(self.visit(statement))
            setattr(node, name, edited)
        for handler in getattr(node, "handlers", []):
            self.generic_visit(handler)
        return node


def insert_before_calls(tree: ast.Module, action: dict[str, Any]) -> None:
    """Puts statements, which name the parameters of a function, before its calls."""
    function = function_at(tree, action)
    names = compile_calls(tree, function)[1]
    editor = CallEditor(function, names, owner_of(tree, function) is not None, action["code"])
    editor.visit(tree)
    if editor.edits == 0:
        raise NotApplicable(f"no call of {function.name} was found")


def decorate(tree: ast.Module, action: dict[str, Any]) -> None:
    """Puts a decorator on a function."""
    decorated = ast.parse(f"{action['code']}\ndef f(): pass").body[0]
    assert isinstance(decorated, ast.FunctionDef)
    function_at(tree, action).decorator_list.insert(0, decorated.decorator_list[0])
