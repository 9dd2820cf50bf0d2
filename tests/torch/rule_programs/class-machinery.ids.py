import collections
import types

import torch

# no program GB0280: no small program shows it on torch 2.13
# no program GB0211: torch 2.13 prints it only for the modules of an export
# no program GB3697: no small program shows it on torch 2.13
# no program GB6404: added after torch 2.13
# no program GB0075: torch 2.13 prints GB8977 for it
# no program GB0255: no small program shows it on torch 2.13
# no program GB2404: no small program shows it on torch 2.13
# no program GB7502: no small program shows it on torch 2.13
# no program GB0368: torch 2.13 does not print it
# no program GB0369: torch 2.13 does not print it
# no program GB0199: no small program shows it on torch 2.13

X = torch.ones(3)


class Parent(torch.nn.Module):
    scale = 0

    def forward(self, x):
        return x * 2


class Holder:
    pass


# program GB0006


class Failed(Exception):
    def __init__(self, text, scale):
        super().__init__(text)
        self.scale = scale


def step(x):
    try:
        raise Failed("no", 2)
    except Failed:
        return x * 2


calls = [[X]]

# action 17


class Failed(Exception):
    def __init__(self, text, scale):
        self.scale = scale


# program GB0113


class Child(Parent):
    def forward(self, x):
        return x * 2 + super().scale


def run(compile):
    return compile(Child())(X)


# action 1


class Child(Parent):
    def forward(self, x):
        return x * 2 + Parent.scale


# program GB0256


class Missing:
    def __call__(self, name):
        return 2


class Object:
    __getattr__ = Missing()


def run(compile):
    return compile(lambda x, o: x * o.factor)(X, Object())


# action 3


class Object:
    def __getattr__(self, name):
        return 2


# program GB0058


def step(x):
    x = x * 2
    x.real = x + 1
    return x


calls = [[X]]

# action 4


def step(x):
    x = x * 2
    return x + 1


# program GB0467


def total(x):
    return x.sum()


def run(compile):
    def step(x):
        total.shape = tuple(x.shape)
        return total(x)

    return compile(step)(X), total.shape


# action 4


def run(compile):
    def step(x):
        return total(x), tuple(x.shape)

    return compile(step)(X)


# program GB8977


def step(x):
    class Pair:
        size = 2

    return x * Pair.size


calls = [[X]]

# action 5


class Pair:
    size = 2


def step(x):
    return x * Pair.size


# program GB0222


def step(x, tensors):
    return x * len(tensors)


calls = [[X, {torch.ones(2), torch.ones(4)}]]

# action 11
tensors = [torch.ones(2), torch.ones(4)]
calls = [[X, dict.fromkeys(tensors)]]

# program GB1319
torch._dynamo.config.enable_trace_load_build_class = True


def step(x):
    class Pair:
        def __init__(self, first):
            self.first = first

    return Pair(x * 2)


def run(compile):
    return compile(step)(X).first


# action 12


class Pair:
    def __init__(self, first):
        self.first = first


def step(x):
    return Pair(x * 2)


# program GB0201


def step(x, name):
    return collections.namedtuple("Pair", name)(x * 2)


def run(compile):
    return compile(step)(X, Holder.__dict__.keys() and iter(["first"]))[0]


# action 12
Pair = collections.namedtuple("Pair", ["first"])


def run(compile):
    return compile(lambda x: Pair(x * 2))(X)[0]


# program GB4271


class One:
    scale = 2


class Other:
    scale = 3


def run(compile):
    one = One()

    def step(x):
        one.__class__ = Other
        return x * one.scale

    return compile(step)(X)


# action 15


def run(compile):
    one = One()
    one.__class__ = Other
    return compile(lambda x: x * one.scale)(X)


# program GB0198


def run(compile):
    inner = {"scale": 2}
    proxy = types.MappingProxyType(inner)

    def step(x, d):
        d["scale"] = 3
        return x * proxy["scale"]

    return compile(step)(X, inner)


# action 16


def run(compile):
    def step(x):
        d = {"scale": 2}
        d["scale"] = 3
        return x * d["scale"]

    return compile(step)(X)


# program GB0203


def run(compile):
    keys = {Holder(): 2}.keys()
    return compile(lambda x: x * len(keys))(X)


# action 16


def run(compile):
    return compile(lambda x: x * len({"a": 2}.keys()))(X)


# program GB0204


def run(compile):
    proxy = types.MappingProxyType({Holder(): 2})
    return compile(lambda x: x * len(proxy))(X)


# action 16


def run(compile):
    return compile(lambda x: x * len({"a": 2}))(X)


