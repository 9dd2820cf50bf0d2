import torch

X = torch.ones(3)


class Scale:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return self.value == other.value

    def __hash__(self):
        return hash(self.value)


# program GB0078


def step(x):
    def double(y):
        return y * 2

    return torch._dynamo.nonstrict_trace(double)(x)


calls = [[X]]

# action 1


def double(y):
    return y * 2


def step(x):
    return torch._dynamo.nonstrict_trace(double)(x)


# program GB0236


@torch._dynamo.nonstrict_trace
def scaled(x, scale):
    return x * scale.value


def run(compile):
    scale = Scale(2)
    return compile(lambda x: scaled(x, scale))(X)


# action 2
torch.utils._pytree.register_constant(Scale)

# program GB0238
torch.utils._pytree.register_constant(Scale)


@torch._dynamo.nonstrict_trace
def scaled(x, scale):
    return x * scale.value


def run(compile):
    return compile(lambda x: scaled(x, Scale(2)))(X)


# action 3


def run(compile):
    scale = Scale(2)
    return compile(lambda x: scaled(x, scale))(X)


# program GB0239


class Pair:
    def __init__(self, x, scale):
        self.x = x
        self.scale = scale


torch.utils._pytree.register_pytree_node(Pair, lambda p: ((p.x,), p.scale), lambda xs, scale: Pair(xs[0], scale))


@torch._dynamo.nonstrict_trace
def scaled(pair):
    return pair.x * pair.scale.value


def run(compile):
    scale = Scale(2)
    return compile(lambda x: scaled(Pair(x, scale)))(X)


# action 2
torch.utils._pytree.register_constant(Scale)

# program GB0251


@torch._dynamo.nonstrict_trace
def made(x):
    return {"scale": Scale(2), "x": x * 2}


def run(compile):
    return compile(lambda x: made(x)["x"] + 1)(X)


# action 4
torch.utils._pytree.register_pytree_node(Scale, lambda s: ((s.value,), None), lambda values, _: Scale(values[0]))


# program GB0363
from torch._library.opaque_object import register_opaque_type


class Counter(torch._library.opaque_object.OpaqueBase):
    def __init__(self):
        self.count = 0


try:
    register_opaque_type(Counter, typ="reference")
except RuntimeError:
    pass  # the program is run twice: eagerly and compiled


def step(x):
    counter = Counter()
    return x * 2, counter


def run(compile):
    return compile(step)(X)[0]


# action 7


def run(compile):
    return compile(lambda x, counter: (x * 2, counter))(X, Counter())[0]
