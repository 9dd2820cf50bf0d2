"""Worst cases for `shapewise check`: each function returns Python code in which one thing occurs n times."""

from __future__ import annotations

from collections.abc import Callable

HEAD = "import torch\nfrom torch import nn\n\n\n"


def module(body: str, init: str = "", more: str = "", arguments: str = "self, x") -> str:
    """One nn.Module with a forward of this body; `more` stands at the top level before it."""
    text = HEAD + more + "class M(nn.Module):\n"
    if init:
        text += "    def __init__(self):\n        super().__init__()\n" + indent(init, 8)
    return text + f"    def forward({arguments}):\n" + indent(body, 8)


def indent(text: str, columns: int) -> str:
    """Every line of `text`, moved to the right."""
    return "".join(" " * columns + line + "\n" for line in text.splitlines())


# Chains and nesting of expressions.


def chained_container_calls(n: int) -> str:
    """a.copy().copy(): the receiver of each call is a call."""
    return module("a = [x]\nreturn a" + ".copy()" * n)


def chained_container_calls_lines(n: int) -> str:
    """Many short chains."""
    return module("a = [x]\n" + "b = a.copy().copy().copy()\n" * n + "return b")


def chained_mapping_calls(n: int) -> str:
    """d.get(k, d.get(k, ...)): nested arguments."""
    return module("d = {'k': x}\nreturn " + "d.get('k', " * n + "x" + ")" * n)


def chained_tensor_calls(n: int) -> str:
    """x.relu().relu()."""
    return module("return x" + ".relu()" * n)


def chained_module_calls(n: int) -> str:
    """self.f(self.f(...)) of a module of the project."""
    return module(
        "return " + "self.f(" * n + "x" + ")" * n,
        init="self.f = F()",
        more="class F(nn.Module):\n    def forward(self, x):\n        return x + 1\n\n\n",
    )


def nested_parentheses(n: int) -> str:
    """(((x)))."""
    return module("return " + "(" * n + "x" + ")" * n)


def nested_lists(n: int) -> str:
    """[[[x]]]."""
    return module("return " + "[" * n + "x" + "]" * n)


def nested_subscripts(n: int) -> str:
    """x[x[x[0]]]."""
    return module("return " + "x[" * n + "0" + "]" * n)


def chained_subscripts(n: int) -> str:
    """x[0][0][0]."""
    return module("return x" + "[0]" * n)


def chained_attributes(n: int) -> str:
    """x.a.a.a."""
    return module("return x" + ".a" * n)


def nested_conditionals(n: int) -> str:
    """x if c else (x if c else ...)."""
    return module("return " + "x if self.c else (" * n + "x" + ")" * n)


def nested_lambdas(n: int) -> str:
    """lambda: lambda: x, called."""
    return module("return (" + "lambda: " * n + "x)" + "()" * n)


def nested_comprehensions(n: int) -> str:
    """[[... for a in x] for a in x]."""
    return module("return " + "[" * n + "x" + " for a in x]" * n)


def comprehension_clauses(n: int) -> str:
    """[a for a0 in x for a1 in x ...]."""
    return module("return [x " + " ".join(f"for a{i} in x if a{i}" for i in range(n)) + "]")


def nested_fstrings(n: int) -> str:
    """f"{f'{x}'}" as Python 3.12 allows."""
    return module("return " + 'f"{' * n + "x" + '}"' * n)


def fstring_replacements(n: int) -> str:
    """One f-string with many replacements."""
    return module('return f"' + "{x.item()} " * n + '"')


def operators(n: int) -> str:
    """x + x + x."""
    return module("return x" + " + x" * n)


def boolean_operators(n: int) -> str:
    """x and x and x."""
    return module("return x" + " and x" * n)


def boolean_operators_of_names(n: int) -> str:
    """a0 is None or a1 is None ..., over optional arguments."""
    arguments = ", ".join(f"a{i}=None" for i in range(n))
    test = " or ".join(f"a{i} is None" for i in range(n))
    return module(f"if {test}:\n    return x\nreturn x + 1", arguments=f"self, x, {arguments}")


def comparisons(n: int) -> str:
    """x < x < x."""
    return module("return x" + " < x" * n)


def not_operators(n: int) -> str:
    """not not x."""
    return module("return " + "not " * n + "x")


def named_expressions(n: int) -> str:
    """((a := (a := x)))."""
    return module("return " + "(a := " * n + "x" + ")" * n)


def isinstance_calls(n: int) -> str:
    """isinstance(isinstance(...), y) as a test."""
    return module("if " + "isinstance(" * n + "x" + ", int)" * n + ":\n    return x\nreturn x")


def call_arguments(n: int) -> str:
    """f(x, x, x, ...)."""
    return module(
        "return f(" + "x, " * n + ")",
        more="def f(*a):\n    return a\n\n\n",
    )


def call_keywords(n: int) -> str:
    """f(a0=x, a1=x, ...) of a function with those parameters."""
    names = [f"a{i}" for i in range(n)]
    return module(
        "return f(" + ", ".join(f"{name}=x" for name in names) + ")",
        more=f"def f({', '.join(names)}):\n    return a0\n\n\n",
    )


def list_literal(n: int) -> str:
    """A long list."""
    return module("return [" + "x, " * n + "]")


def dict_literal(n: int) -> str:
    """A long dict, at the top level and in forward."""
    entries = ", ".join(f"'k{i}': {i}" for i in range(n))
    return module(f"d = {{{entries}}}\nreturn D['k1'] + d['k1']", more=f"D = {{{entries}}}\n\n\n")


def one_long_line(n: int) -> str:
    """Statements joined by semicolons."""
    return module("a = x; " * n + "b = a")


def long_string(n: int) -> str:
    """A string over many lines."""
    return module('"""' + "line of text\n" * n + '"""\nreturn x')


# Values that grow.


def doubled_tuples(n: int) -> str:
    """x = (x, x), joined after a branch."""
    lines = "a = (x, x)\nb = (x, 1)\n" + "a = (a, a)\nb = (b, b)\n" * n
    return module(lines + "if self.c:\n    a = b\nreturn a")


def nested_values(n: int) -> str:
    """x = [x], joined after a branch."""
    return module(
        "a = [x]\nb = [1]\n" + "a = [a]\nb = [b]\n" * n + "if self.c:\n    a = b\nreturn a"
    )


def growing_tuple(n: int) -> str:
    """a = a + (x,)."""
    return module("a = ()\n" + "a = a + (x,)\n" * n + "return a")


def growing_union(n: int) -> str:
    """An attribute that may be an object of any of many classes."""
    classes = "".join(
        f"class C{i}(nn.Module):\n    def forward(self, x):\n        return self.g(x)\n\n"
        f"    def g(self, x):\n        return x + {i}\n\n\n"
        for i in range(n)
    )
    choose = "".join(
        f"{'if' if i == 0 else 'elif'} mode == {i}:\n    a = C{i}()\n" for i in range(min(n, 300))
    )
    return module(choose + "return a(x)", more=classes, arguments="self, x, mode")


def choice_chain(n: int) -> str:
    """a is one of two functions, each of which calls one of two."""
    text = "def f0(x):\n    return x\n\n\ndef g0(x):\n    return x, x\n\n\n"
    for i in range(1, n):
        for name in "fg":
            text += (
                f"def {name}{i}(x):\n    h = f{i - 1} if x is None else g{i - 1}\n"
                f"    return h(h(x))\n\n\n"
            )
    return module(f"return f{n - 1}(x)", more=text)


# Blocks.


def elif_branches(n: int) -> str:
    """if ... elif ... elif."""
    return module("".join(f"{'if' if i == 0 else 'elif'} x == {i}:\n    a = x\n" for i in range(n)))


def if_statements(n: int) -> str:
    """One if after the other, each binds a name."""
    return module("".join(f"if self.c{i}:\n    a{i} = x\n" for i in range(n)) + "return x")


def assignments(n: int) -> str:
    """Many variables."""
    return module("".join(f"a{i} = x + {i}\n" for i in range(n)) + "return a0")


def assignment_chain(n: int) -> str:
    """Each variable is made of the one before."""
    return module("a0 = x\n" + "".join(f"a{i + 1} = a{i}\n" for i in range(n)) + f"return a{n}")


def nested_blocks(kind: str, n: int, last: str = "a = [a]") -> str:
    """n blocks, one in the other."""
    lines = ["a = x"]
    for i in range(n):
        lines.append(" " * i + kind)
    lines.append(" " * n + last)
    return module("\n".join(lines) + "\nreturn a")


def nested_loops(n: int) -> str:
    """for in for in for."""
    return nested_blocks("for i in x:", n)


def nested_whiles(n: int) -> str:
    """while in while."""
    return nested_blocks("while self.c(x):", n)


def nested_ifs(n: int) -> str:
    """if in if."""
    return nested_blocks("if self.c:", n)


def nested_withs(n: int) -> str:
    """with in with."""
    return nested_blocks("with self.c(x):", n)


def nested_loops_calling(n: int) -> str:
    """Loops with a call in the innermost."""
    return nested_blocks("for i in range(3):", n, "a = self.g(a)").replace(
        "    def forward", "    def g(self, a):\n        return [a]\n\n    def forward"
    )


def nested_tries(n: int) -> str:
    """try in the except of a try."""
    lines = ["a = x"]
    for i in range(n):
        lines += [" " * i + "try:", " " * i + " a = [a]", " " * i + "except E:"]
    lines.append(" " * n + "pass")
    return module("\n".join(lines) + "\nreturn a")


def except_handlers(n: int) -> str:
    """One try with many handlers."""
    return module(
        "try:\n    a = x\n" + "".join(f"except E{i}:\n    a{i} = x\n" for i in range(n)) + "return x"
    )


def with_items(n: int) -> str:
    """with a, b, c."""
    return module("with " + ", ".join(f"x as a{i}" for i in range(n)) + ":\n    return x")


def match_cases(n: int) -> str:
    """match with many cases."""
    return module(
        "match x:\n" + "".join(f"    case {i}:\n        a{i} = x\n" for i in range(n)) + "return x"
    )


def local_functions(n: int) -> str:
    """Many local functions, each called."""
    return module("".join(f"def f{i}(a):\n    return a + x\nx = f{i}(x)\n" for i in range(n)))


def local_lambdas(n: int) -> str:
    """Many lambdas that are kept."""
    return module("".join(f"f{i} = lambda a: a + x\n" for i in range(n)) + "return f0(x)")


def nested_local_functions(n: int) -> str:
    """A local function in a local function, each called with two kinds of arguments."""
    lines: list[str] = []
    for i in range(n):
        lines.append(" " * i + f"def f{i}(x):")
    lines.append(" " * n + "return x")
    for i in reversed(range(n)):
        lines.append(" " * i + f"return f{i}(x), f{i}((x, x))" if i else "return f0(x), f0((x, x))")
    return module("\n".join(lines))


def local_decorators(n: int) -> str:
    """Many decorators on one local function."""
    return module("@torch.no_grad()\n" * n + "def f(a):\n    return a\nreturn f(x)")


def decorators(n: int) -> str:
    """Many decorators on forward and on the class."""
    text = module("return x")
    text = text.replace("    def forward", "    @torch.no_grad()\n" * n + "    def forward")
    return text.replace("class M", "@torch.no_grad\n" * n + "class M")


def parameters(n: int) -> str:
    """Many parameters with defaults."""
    names = ", ".join(f"a{i}=None" for i in range(n))
    return module("return x", arguments=f"self, x, {names}")


# Functions and classes.


def functions(n: int) -> str:
    """Many functions, each called once."""
    text = "".join(f"def f{i}(x):\n    return x + {i}\n\n\n" for i in range(n))
    return module("".join(f"x = f{i}(x)\n" for i in range(n)) + "return x", more=text)


def function_chain(n: int) -> str:
    """Each function calls the one before."""
    text = "def f0(x):\n    return x\n\n\n"
    text += "".join(f"def f{i}(x):\n    return f{i - 1}(x)\n\n\n" for i in range(1, n))
    return module(f"return f{n - 1}(x)", more=text)


def function_tree(n: int) -> str:
    """Each function calls the one before twice, with different arguments."""
    text = "def f0(x):\n    return x\n\n\n"
    text += "".join(
        f"def f{i}(x):\n    return f{i - 1}(x), f{i - 1}((x, x))\n\n\n" for i in range(1, n)
    )
    return module(f"return f{n - 1}(x)", more=text)


def mutual_recursion(n: int) -> str:
    """Functions that all call each other in a ring, both ways."""
    text = "".join(
        f"def f{i}(x, y):\n    a = f{(i + 1) % n}([x], y)\n    return f{(i + n - 1) % n}(a, x)\n\n\n"
        for i in range(n)
    )
    return module("return f0(x, x)", more=text)


def method_recursion(n: int) -> str:
    """Methods that call each other with what they were given, put into lists."""
    text = HEAD + "class M(nn.Module):\n    def forward(self, x):\n        return self.f0(x, x)\n\n"
    for i in range(n):
        text += (
            f"    def f{i}(self, x, y):\n        a = self.f{(i + 1) % n}([x], y)\n"
            f"        return self.f{(i + 2) % n}(a, (x, y))\n\n"
        )
    return text


def constructor_recursion(n: int) -> str:
    """A method that __init__ calls calls itself in a loop (n: copies of the class)."""
    return HEAD + "\n\n".join(
        f"class M{i}(nn.Module):\n    def __init__(self, net):\n        super().__init__()\n"
        "        self.reset(net)\n\n    def reset(self, layer):\n        for c in layer.children():\n"
        "            self.reset(c)\n\n    def forward(self, x):\n        return x\n"
        for i in range(n)
    )


def constructor_chain(n: int) -> str:
    """__init__ calls a method twice that calls a method twice ..."""
    text = HEAD + "class M(nn.Module):\n    def __init__(self):\n        self.a0()\n        self.a0()\n\n"
    for i in range(n):
        call = f"self.a{i + 1}()" if i + 1 < n else "self.x = 1"
        text += f"    def a{i}(self):\n        {call}\n        {call}\n\n"
    return text + "    def forward(self, x):\n        return self.x + x\n"


def constructor_ring(n: int) -> str:
    """Methods that __init__ calls and that call each other with growing arguments."""
    text = HEAD + "class M(nn.Module):\n    def __init__(self, x):\n        self.f0(x)\n\n"
    for i in range(n):
        text += (
            f"    def f{i}(self, x):\n        self.v{i} = [x]\n        self.f{(i + 1) % n}([x])\n"
            f"        self.f{(i + 2) % n}((x, self.v{i}))\n\n"
        )
    return text + "    def forward(self, x):\n        return x\n"


def constructors_of_each_other(n: int) -> str:
    """__init__ of each class makes an object of the next and reads an attribute of it."""
    text = HEAD
    for i in range(n):
        text += (
            f"class C{i}(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.c = C{(i + 1) % n}()\n        self.d = self.c.d\n        self.e = self.c.e\n\n"
            f"    def forward(self, x):\n        return self.d\n\n\n"
        )
    return text


def super_chain(n: int) -> str:
    """Each class calls the __init__ and forward of its base."""
    text = HEAD + "class C0(nn.Module):\n    def forward(self, x):\n        return x\n\n\n"
    for i in range(1, n):
        text += (
            f"class C{i}(C{i - 1}):\n    def __init__(self):\n        super().__init__()\n"
            f"        self.a{i} = {i}\n\n    def forward(self, x):\n        return super().forward(x)\n\n\n"
        )
    return text


def class_chain(n: int) -> str:
    """A long chain of bases, each with its own method."""
    text = HEAD + "class C0(nn.Module):\n    def forward(self, x):\n        return x\n\n\n"
    return text + "".join(
        f"class C{i}(C{i - 1}):\n    def f{i}(self, x):\n        return x\n\n\n" for i in range(1, n)
    )


def wide_bases(n: int) -> str:
    """One class with many bases."""
    text = HEAD + "".join(f"class B{i}:\n    a{i} = {i}\n\n\n" for i in range(n))
    bases = ", ".join(f"B{i}" for i in range(n))
    return text + f"class M(nn.Module, {bases}):\n    def forward(self, x):\n        return x\n"


def base_diamonds(n: int) -> str:
    """class C(A, B), class D(A, B) for each level."""
    text = HEAD + "class A0(nn.Module):\n    pass\n\n\nclass B0(nn.Module):\n    pass\n\n\n"
    for i in range(1, n):
        text += f"class A{i}(A{i - 1}, B{i - 1}):\n    pass\n\n\nclass B{i}(A{i - 1}, B{i - 1}):\n    pass\n\n\n"
    return text + f"class M(A{n - 1}):\n    def forward(self, x):\n        return x\n"


def base_cycle(n: int) -> str:
    """class C0(C1), class C1(C2), ..., class Cn(C0)."""
    return HEAD + "".join(
        f"class C{i}(C{(i + 1) % n}, nn.Module):\n    def forward(self, x):\n        return super().forward(x)\n\n\n"
        for i in range(n)
    )


def methods(n: int) -> str:
    """Many methods, each called through self and through super()."""
    text = HEAD + "class B(nn.Module):\n"
    text += "".join(f"    def f{i}(self, x):\n        return x + {i}\n\n" for i in range(n))
    text += "class M(B):\n"
    text += "".join(f"    def f{i}(self, x):\n        return super().f{i}(x)\n\n" for i in range(n))
    text += "    def forward(self, x):\n"
    return text + "".join(f"        x = self.f{i}(x)\n" for i in range(n)) + "        return x\n"


def class_method_calls(n: int) -> str:
    """C.f0(x), C.f1(x) ..."""
    text = "class C:\n" + "".join(
        f"    @staticmethod\n    def f{i}(x):\n        return x + {i}\n\n" for i in range(n)
    )
    return module("".join(f"x = C.f{i}(x)\n" for i in range(n)) + "return x", more=text + "\n")


def nested_class_uses(n: int) -> str:
    """C.D0, C.D1 ..., classes in a class."""
    text = "class C:\n" + "".join(f"    class D{i}:\n        a = {i}\n\n" for i in range(n))
    return module("".join(f"x = C.D{i}()\n" for i in range(n)) + "return x", more=text + "\n")


def properties(n: int) -> str:
    """Properties that read properties."""
    text = HEAD + "class M(nn.Module):\n    @property\n    def p0(self):\n        return 1\n\n"
    for i in range(1, n):
        text += f"    @property\n    def p{i}(self):\n        return (self.p{i - 1}, self.p{i - 1})\n\n"
    return text + f"    def forward(self, x):\n        return self.p{n - 1}\n"


def modules(n: int) -> str:
    """Many modules, one beside the other."""
    return HEAD + "".join(
        f"class M{i}(nn.Module):\n    def forward(self, x):\n        if x.sum() > {i}:\n            x = x + 1\n        return x\n\n\n"
        for i in range(n)
    )


def module_attributes(n: int) -> str:
    """Many attributes of one module, each used."""
    return module(
        "".join(f"x = self.a{i}(x)\n" for i in range(n)) + "return x",
        init="".join(f"self.a{i} = nn.Linear(2, 2)\n" for i in range(n)),
    )


# Top level.


def constant_chain(n: int) -> str:
    """A1 = [A0], A2 = [A1], ... and the last is used."""
    text = "A0 = 1\n" + "".join(f"A{i + 1} = [A{i}]\n" for i in range(n))
    return module(f"return A{n}", more=text + "\n\n")


def alias_chain(n: int) -> str:
    """f1 = f0, f2 = f1 ..."""
    text = "def f0(x):\n    return x\n\n\n" + "".join(f"f{i + 1} = f{i}\n" for i in range(n))
    return module("".join(f"x = f{i}(x)\n" for i in range(n)) + "return x", more=text + "\n\n")


def type_alias_chain(n: int) -> str:
    """T1 = Optional[T0] ... and an argument of the last."""
    text = "T0 = torch.Tensor\n" + "".join(f"T{i + 1} = Optional[T{i}]\n" for i in range(n))
    return module("return x", more=text + "\n\n", arguments=f"self, x: T{n}")


def type_alias_doubled(n: int) -> str:
    """T1 = Union[T0, List[T0]] ..."""
    text = "T0 = torch.Tensor\n" + "".join(f"T{i + 1} = Union[T{i}, List[T{i}]]\n" for i in range(n))
    return module("return x", more=text + "\n\n", arguments=f"self, x: T{n}")


def type_alias_cycle(n: int) -> str:
    """T = Union[int, List["T"]], written without quotes, n ways."""
    text = "".join(f"T{i} = Union[T{(i + 1) % n}, List[T{(i + 2) % n}]]\n" for i in range(n))
    return module("return x", more=text + "\n\n", arguments="self, x: T0")


def class_constants(n: int) -> str:
    """Class bodies that read attributes of the class before."""
    text = "class C0:\n    a = 1\n\n\n" + "".join(
        f"class C{i}:\n    a = C{i - 1}().a\n    b = (C{i - 1}().a, C{i - 1}().b)\n\n\n"
        for i in range(1, n)
    )
    return module(f"return C{n - 1}().b", more=text)


def imports(n: int) -> str:
    """Many imports."""
    return "".join(f"import m{i}\nfrom p{i} import q{i}\n" for i in range(n)) + module("return x")


def stars(n: int) -> str:
    """Many star imports and many names that nobody defines."""
    return "".join(f"from m{i} import *\n" for i in range(n)) + module(
        "".join(f"x = g{i}(x)\n" for i in range(n)) + "return x"
    )


def top_level_statements(n: int) -> str:
    """A script that compiles something."""
    return HEAD + "".join(f"a{i} = {i}\n" for i in range(n)) + "f = torch.compile(lambda x: x)\n"


def compiled_functions(n: int) -> str:
    """Many functions that are compiled, by decorator and by call."""
    return HEAD + "".join(
        f"@torch.compile\ndef f{i}(x):\n    return x.item()\n\n\ng{i} = torch.compile(f{i})\n\n\n"
        for i in range(n)
    )


# Findings, fixes, comments.


def findings_in_one_function(n: int) -> str:
    """Many reads of numbers in one forward."""
    return module("".join(f"a{i} = x.item()\n" for i in range(n)) + "return x")


def findings_under_branches(n: int) -> str:
    """Many branches on tensors with something behind each."""
    return module("".join("if x.sum() > 0:\n    x = x + x.item()\n" for _ in range(n)) + "return x")


def findings_nested_branches(n: int) -> str:
    """Branches on tensors, one in the other, with findings in each."""
    lines = []
    for i in range(n):
        lines += [" " * i + "if x.sum() > 0:", " " * (i + 1) + "x = x + x.item()"]
    return module("\n".join(lines) + "\nreturn x")


def printed(n: int) -> str:
    """Many prints, each with a fix."""
    return module("".join(f"print('a', {i})\n" for i in range(n)) + "return x")


def findings_on_one_line(n: int) -> str:
    """Many findings on one line."""
    return module("return [" + "x.item(), " * n + "]")


def masks_stored(n: int) -> str:
    """x[m] = 0, each with a fix that looks at the function."""
    return module("".join(f"m{i} = x > {i}\nx[m{i}] = 0\n" for i in range(n)) + "return x")


def where_places(n: int) -> str:
    """idx = nonzero, x[idx]."""
    return module("".join(f"i{i} = (x > {i}).nonzero()\ny = x[i{i}]\n" for i in range(n)) + "return y")


def ignores(n: int) -> str:
    """Many comments that hold a finding back."""
    return module("".join("a = x.item()  # shapewise: ignore[SWP001] known\n" for _ in range(n)) + "return x")


def unused_ignores(n: int) -> str:
    """Many comments that hold nothing back."""
    return module("".join("a = x  # shapewise: ignore[SWP001]\n" for _ in range(n)) + "return x")


def comments(n: int) -> str:
    """Many comments between statements."""
    return module("".join("# words\na = x  # more\n" for _ in range(n)) + "return x")


def faults(n: int) -> str:
    """Many lines that are no Python."""
    return module("".join("a = = x\n" for _ in range(n)) + "return x")


def open_brackets(n: int) -> str:
    """Brackets that nothing closes."""
    return module("".join("a = (x\n" for _ in range(n)) + "return x")


def open_strings(n: int) -> str:
    """Triple quotes that nothing closes, functions after each."""
    return HEAD + "".join(f"def f{i}(x):\n    return f'''{{x\n\n\n" for i in range(n))


GENERATORS: dict[str, Callable[[int], str]] = {
    name: value
    for name, value in list(globals().items())
    if callable(value)
    and getattr(value, "__module__", None) == __name__
    and name not in ("module", "indent", "nested_blocks", "Callable")
}
