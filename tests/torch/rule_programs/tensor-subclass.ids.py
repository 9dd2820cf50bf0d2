import torch

# no program GB0103: torch 2.13 traces the methods that were tried

X = torch.ones(3)


class Plain(torch.Tensor):
    pass


# program GB0163


def run(compile):
    return compile(lambda x: x * (2 if x._base is None else 3))(X.as_subclass(Plain)).as_subclass(torch.Tensor)


# action 1


def run(compile):
    x = X.as_subclass(Plain)
    is_view = x._base is not None
    return compile(lambda x: x * (3 if is_view else 2))(x).as_subclass(torch.Tensor)


# program GB0164


class Scaled(torch.Tensor):
    mT = 7
    scale = 7


def run(compile):
    return compile(lambda x: x * x.mT)(X.as_subclass(Scaled)).as_subclass(torch.Tensor)


# action 1


def run(compile):
    return compile(lambda x: x * x.scale)(X.as_subclass(Scaled)).as_subclass(torch.Tensor)


# program GB0001
from torch.testing._internal.two_tensor import TwoTensor


def step(x):
    return (x * 2).as_subclass(TwoTensor)


def run(compile):
    def step(x):
        y = x * 2
        try:
            return y.as_subclass(TwoTensor).a
        except Exception:
            return y

    return compile(step)(X)


# action 2


def run(compile):
    return compile(lambda x: x * 2)(X)


# program GB0026


def step(x):
    return Plain(2, 3).shape[0] * x


calls = [[X]]

# action 2
PLAIN = Plain(2, 3)


def step(x):
    return PLAIN.shape[0] * x
