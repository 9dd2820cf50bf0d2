import array
import datetime
import types

import torch

# no program GB9198: torch 2.13 does not print it
# no program GB2483: no small program shows it on torch 2.13
# no program GB0141: torch 2.13 does not print it
# no program GB0191: torch 2.13 does not print it
# no program GB0719: added after torch 2.13
# no program GB9522: no small program shows it on torch 2.13
# no program GB2861: no small program shows it on torch 2.13

X = torch.ones(3)


# program GB0005


def run(compile):
    span = datetime.timedelta(1)
    return compile(lambda x: x * len(str(span)))(X)


# action 1


def run(compile):
    text = str(datetime.timedelta(1))
    return compile(lambda x: x * len(text))(X)


# program GB6053


def run(compile):
    proxy = types.MappingProxyType({})
    return compile(lambda x: x * len(repr(proxy)))(X)


# action 1


def run(compile):
    text = repr(types.MappingProxyType({}))
    return compile(lambda x: x * len(text))(X)


# program GB4501


def step(x):
    options = [x]
    return x * 2, {id(options): "options"}


def run(compile):
    return compile(step)(X)[0]


# action 2


def step(x):
    return x * 2, {"options": "options"}


# program GB9316


def step(x):
    y = x * 2
    return y * (2 if id(y) == id(x) else 3)


calls = [[X]]

# action 2


def step(x):
    y, name = x * 2, "y"
    return y * (2 if name == "x" else 3)


# program GB0150


def step(x):
    pairs = zip([1], [2])
    return x * (2 if hasattr(pairs, "name") else 3)


calls = [[X]]

# action 3
HAS_NAME = hasattr(zip([1], [2]), "name")


def step(x):
    return x * (2 if HAS_NAME else 3)


# program GB1220


class Numbers(array.array):
    pass


def run(compile):
    a, b = Numbers("i", [1]), Numbers("i", [1])
    return compile(lambda x: x * (2 if a == b else 3))(X)


# action 5
torch._dynamo.allow_c_slot(Numbers)

# program GB0299


def run(compile):
    import numpy

    info = numpy.iinfo(numpy.int32)
    return compile(lambda x: x * (2 if info.__eq__(x) is True else 3))(X)


# action 11


def run(compile):
    import numpy

    info = numpy.iinfo(numpy.int32)
    is_same = info.__eq__(X) is True
    return compile(lambda x: x * (2 if is_same else 3))(X)
