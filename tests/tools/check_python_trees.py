"""Python files as shapewise reads them, beside what Python's own ast says: outlines and trees.

    check_python_trees.py PRINT_PYTHON PATH...

PATHs are files, or folders whose *.py are all looked at. Files that this Python cannot parse are left out.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import warnings
from bisect import bisect_right
from pathlib import Path

SHOWN = 10
COMPARE = {
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "In": "in", "NotIn": "not-in",
    "Is": "is", "IsNot": "is-not",
}  # fmt: skip
BINARY = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>",
}  # fmt: skip
UNARY = {"UAdd": "+", "USub": "-", "Invert": "~"}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Source:
    """A file's bytes, and where its lines begin in them."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.data = path.read_bytes()
        self.starts = [0]
        data = self.data
        at = 0
        while True:
            newline = data.find(b"\n", at)
            ret = data.find(b"\r", at, newline if newline >= 0 else len(data))
            if ret >= 0 and ret + 1 != newline:
                at = ret + 1
            elif newline >= 0:
                at = newline + 1
            else:
                break
            self.starts.append(at)
        self.bom = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        # A form feed is no end of a line to ast; str.splitlines would make it one.
        self.starts.append(len(data))

    def place(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column + (self.bom if line == 1 else 0)

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.place(node.lineno, node.col_offset), self.place(node.end_lineno, node.end_col_offset)

    def text(self, node: ast.AST) -> str:
        begin, end = self.span(node)
        return self.data[begin:end].decode("utf-8", "surrogateescape").replace("\r", "").replace("\n", "\\n")


class Printer:
    """Prints ast trees as tests/support/python_tree_text.cc prints ours."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines: list[str] = []
        self.formatted = 0

    def at(self, node: ast.AST) -> str:
        if self.formatted:
            return ""
        begin, end = self.source.span(node)
        return f"@{begin}-{end}"

    def many(self, name: str, nodes) -> str:
        return "(" + name + "".join(" " + self.expr(node) for node in nodes) + ")"

    def expr(self, node: ast.expr | None) -> str:
        if node is None:
            return "_"
        return self.bare(node) + self.at(node)

    def formatted_parts(self, node: ast.JoinedStr):
        for value in node.values:
            if isinstance(value, ast.FormattedValue):
                yield value.value
                if value.format_spec is not None:
                    yield from self.formatted_parts(value.format_spec)

    def bare(self, node: ast.expr) -> str:
        name = type(node).__name__
        if name == "Name":
            return node.id
        if name == "Constant":
            if node.value is None or isinstance(node.value, bool):
                return str(node.value)
            if node.value is Ellipsis:
                return "..."
            return "_" if self.formatted else self.source.text(node)
        if name == "JoinedStr":
            self.formatted += 1
            text = self.many("formatted", self.formatted_parts(node))
            self.formatted -= 1
            return text
        if name == "Attribute":
            return f"(. {self.expr(node.value)} {node.attr})"
        if name == "Call":
            return f"(call {self.expr(node.func)}{self.arguments(node.args, node.keywords)})"
        if name == "Subscript":
            index = node.slice
            parts = index.elts if isinstance(index, ast.Tuple) and index.elts else [index]
            return self.many("[]", [node.value, *parts])
        if name == "Slice":
            return self.many(":", [node.lower, node.upper, node.step])
        if name == "UnaryOp":
            return self.many("not" if isinstance(node.op, ast.Not) else UNARY[type(node.op).__name__], [node.operand])
        if name == "BinOp":
            return self.many(BINARY[type(node.op).__name__], [node.left, node.right])
        if name == "Compare":
            text = "(compare " + self.expr(node.left)
            for op, right in zip(node.ops, node.comparators):
                text += f" {COMPARE[type(op).__name__]} {self.expr(right)}"
            return text + ")"
        if name == "BoolOp":
            return self.many("and" if isinstance(node.op, ast.And) else "or", node.values)
        if name == "IfExp":
            return self.many("if", [node.test, node.body, node.orelse])
        if name == "Lambda":
            return f"(lambda {self.parameters(node.args)} {self.expr(node.body)})"
        if name in ("Tuple", "List", "Set"):
            return self.many(name.lower(), node.elts)
        if name == "Dict":
            return self.many("dict", [part for pair in zip(node.keys, node.values) for part in pair])
        if name in ("ListComp", "SetComp", "GeneratorExp", "DictComp"):
            kind = {"ListComp": "list-of", "SetComp": "set-of", "GeneratorExp": "generator-of", "DictComp": "dict-of"}
            parts = [node.key, node.value] if name == "DictComp" else [node.elt]
            text = "(" + kind[name] + "".join(" " + self.expr(part) for part in parts)
            for clause in node.generators:
                text += f" (for {self.expr(clause.target)} {self.expr(clause.iter)}"
                text += "".join(f" (if {self.expr(test)})" for test in clause.ifs) + ")"
            return text + ")"
        if name == "Starred":
            return self.many("*", [node.value])
        if name == "Await":
            return self.many("await", [node.value])
        if name == "Yield":
            return self.many("yield", [node.value] if node.value else [])
        if name == "YieldFrom":
            return self.many("yield-from", [node.value])
        if name == "NamedExpr":
            return self.many(":=", [node.target, node.value])
        raise ValueError(name)

    def arguments(self, args, keywords) -> str:
        parts = []
        for node in [*args, *keywords]:
            # A keyword's place is its whole; of "**x", ast gives none but that of x.
            if isinstance(node, ast.keyword):
                if node.arg is None:
                    text = f"(** {self.expr(node.value)})"
                else:
                    text = f"(= {node.arg} {self.expr(node.value)})"
                parts.append((self.source.span(node), text + self.at(node)))
            else:
                parts.append((self.source.span(node), self.expr(node)))
        if not self.formatted:
            parts.sort(key=lambda part: part[0])
        return "".join(" " + text for _, text in parts)

    def parameters(self, args: ast.arguments) -> str:
        text = "(parameters"
        positional = [("/ ", arg) for arg in args.posonlyargs] + [("", arg) for arg in args.args]
        defaults = [None] * (len(positional) - len(args.defaults)) + list(args.defaults)
        every = [(kind, arg, value) for (kind, arg), value in zip(positional, defaults)]
        if args.vararg:
            every.append(("* ", args.vararg, None))
        every += [("key ", arg, value) for arg, value in zip(args.kwonlyargs, args.kw_defaults)]
        if args.kwarg:
            every.append(("** ", args.kwarg, None))
        for kind, arg, value in every:
            text += f" ({kind}{arg.arg}"
            if arg.annotation is not None:
                text += " : " + self.expr(arg.annotation)
            if value is not None:
                text += " = " + self.expr(value)
            text += ")"
        return text + ")"

    def add(self, depth: int, text: str, node: ast.stmt | None = None, begin: int | None = None) -> None:
        if node is not None:
            first, last = self.source.span(node)
            text += f" @{first if begin is None else begin}-{last}"
        self.lines.append("  " * depth + text)

    def body(self, body, depth: int) -> None:
        for node in body:
            self.stmt(node, depth)

    def labelled(self, label: str, body, depth: int) -> None:
        if body:
            self.add(depth, label)
            self.body(body, depth + 1)

    def names(self, names) -> str:
        return "".join(f" {alias.name}" + (f" as {alias.asname}" if alias.asname else "") for alias in names)

    def stmt(self, node: ast.stmt, depth: int) -> None:
        name = type(node).__name__
        e = self.expr
        if isinstance(node, DEFINITIONS):
            begin = None
            if node.decorator_list:
                begin = at_sign(self.source, node.decorator_list[0])
            for decorator in node.decorator_list:
                self.add(depth, "@ " + e(decorator))
            if name == "ClassDef":
                self.add(depth, f"class {node.name}{self.arguments(node.bases, node.keywords)}", node, begin)
            else:
                head = ("async-" if name == "AsyncFunctionDef" else "") + f"function {node.name} "
                head += self.parameters(node.args) + (f" -> {e(node.returns)}" if node.returns else "")
                self.add(depth, head, node, begin)
            return self.body(node.body, depth + 1)
        is_async = "async-" if name.startswith("Async") else ""
        if name == "Expr":
            self.add(depth, "do " + e(node.value), node)
        elif name == "Assign":
            self.add(depth, "= " + " ".join(map(e, [*node.targets, node.value])), node)
        elif name == "AugAssign":
            self.add(depth, f"{BINARY[type(node.op).__name__]}= {e(node.target)} {e(node.value)}", node)
        elif name == "AnnAssign":
            value = " " + e(node.value) if node.value else ""
            self.add(depth, f": {e(node.target)} {e(node.annotation)}{value}", node)
        elif name == "Return":
            self.add(depth, "return" + (" " + e(node.value) if node.value else ""), node)
        elif name in ("If", "While"):
            self.add(depth, f"{name.lower()} {e(node.test)}", node)
            self.body(node.body, depth + 1)
            self.labelled("else", node.orelse, depth)
        elif name in ("For", "AsyncFor"):
            self.add(depth, f"{is_async}for {e(node.target)} {e(node.iter)}", node)
            self.body(node.body, depth + 1)
            self.labelled("else", node.orelse, depth)
        elif name in ("With", "AsyncWith"):
            text = f"{is_async}with"
            for item in node.items:
                text += " " + e(item.context_expr)
                text += " as " + e(item.optional_vars) if item.optional_vars else ""
            self.add(depth, text, node)
            self.body(node.body, depth + 1)
        elif name in ("Try", "TryStar"):
            self.add(depth, "try", node)
            self.body(node.body, depth + 1)
            for handler in node.handlers:
                text = "except" + (" " + e(handler.type) if handler.type else "")
                self.add(depth, text + (f" as {handler.name}" if handler.name else ""))
                self.body(handler.body, depth + 1)
            self.labelled("else", node.orelse, depth)
            self.labelled("finally", node.finalbody, depth)
        elif name == "Raise":
            text = "raise" + (" " + e(node.exc) if node.exc else "")
            self.add(depth, text + (" from " + e(node.cause) if node.cause else ""), node)
        elif name == "Assert":
            self.add(depth, "assert " + e(node.test) + (" " + e(node.msg) if node.msg else ""), node)
        elif name == "Delete":
            self.add(depth, "del " + " ".join(map(e, node.targets)), node)
        elif name in ("Pass", "Break", "Continue"):
            self.add(depth, name.lower(), node)
        elif name in ("Global", "Nonlocal"):
            self.add(depth, name.lower() + "".join(" " + each for each in node.names), node)
        elif name == "Import":
            self.add(depth, "import" + self.names(node.names), node)
        elif name == "ImportFrom":
            self.add(depth, "from " + "." * node.level + (node.module or "") + self.names(node.names), node)
        elif name == "Match":
            self.add(depth, "match " + e(node.subject), node)
            for case in node.cases:
                self.add(depth, "case" + (" " + e(case.guard) if case.guard else ""))
                self.body(case.body, depth + 1)
        else:
            raise ValueError(name)


def at_sign(source: Source, decorator: ast.expr) -> int:
    return source.data.rindex(b"@", 0, source.span(decorator)[0])


def outline_of(source: Source, tree: ast.Module) -> list[str]:
    found: list[tuple[int, str]] = []

    def look(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, DEFINITIONS):
                first = min([child.lineno] + [each.lineno for each in child.decorator_list])
                if child.decorator_list:
                    first = bisect_right(source.starts, at_sign(source, child.decorator_list[0]))
                is_class = isinstance(child, ast.ClassDef)
                begin, end = source.starts[first - 1], source.starts[child.end_lineno]
                found.append((begin, f"{'class' if is_class else 'function'} {begin} {end} {child.name}"))
                if is_class:
                    look(child)
            else:
                look(child)

    look(tree)
    return [text for _, text in sorted(found)]


def printed(program: str, what: str, paths: list[Path]) -> dict[str, list[str]]:
    run = subprocess.run([program, what], input="\n".join(map(str, paths)) + "\n", capture_output=True, text=True,
                         errors="surrogateescape", check=True)  # fmt: skip
    files: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in run.stdout.split("\n"):
        if line.startswith("file "):
            lines = files.setdefault(line[5:], [])
        elif line:
            lines.append(line)
    return files


def main() -> int:
    program, *roots = sys.argv[1:]
    paths: list[Path] = []
    for root in map(Path, roots):
        paths += sorted(root.rglob("*.py")) if root.is_dir() else [root]
    outlines = printed(program, "outline", paths)
    trees = printed(program, "tree", paths)
    read = shown = bad_outlines = bad_trees = 0
    sys.setrecursionlimit(20000)
    for path in paths:
        try:
            source = Source(path)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse(source.data)
        except (SyntaxError, ValueError, RecursionError):
            continue
        if not source.data.removeprefix(b"\xef\xbb\xbf").isascii():
            try:
                source.data.decode("utf-8")
            except UnicodeDecodeError:
                continue
        read += 1
        printer = Printer(source)
        printer.body(tree.body, 0)
        pairs = [
            ("outline", sorted(outlines[str(path)], key=order), outline_of(source, tree)),
            ("tree", [line.rstrip() for line in trees[str(path)]], printer.lines),
        ]
        for what, ours, theirs in pairs:
            if ours == theirs:
                continue
            bad_outlines += what == "outline"
            bad_trees += what == "tree"
            if shown < SHOWN:
                shown += 1
                at = next((i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b), min(len(ours), len(theirs)))
                print(f"{path}: {what}")
                print("  ours  ", ours[at] if at < len(ours) else "(end)")
                print("  python", theirs[at] if at < len(theirs) else "(end)")
    print(f"{read} files: {bad_outlines} outlines and {bad_trees} trees differ")
    return 1 if bad_outlines or bad_trees or read == 0 else 0


def order(line: str) -> tuple[int, str]:
    kind, begin, *_ = line.split(" ")
    return int(begin), kind


if __name__ == "__main__":
    sys.exit(main())
