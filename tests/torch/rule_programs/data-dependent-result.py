import torch
from torch._subclasses.fake_tensor import FakeTensorMode

X = torch.tensor([1.0, 0.0, 2.0])


def run(compile):
    mode = FakeTensorMode()
    with mode:
        step(mode.from_tensor(X))
    return step(X)


# program number


def step(x):
    return x * 2 if x.sum().item() > 0 else x


# action 1


def step(x):
    return torch.where(x.sum() > 0, x * 2, x)


# program shape


def step(x):
    return x[x > 0].sum()


# action 3


def step(x):
    return torch.where(x > 0, x, 0).sum()


# action 4


def run(compile):
    y = X[X > 0]
    mode = FakeTensorMode()
    with mode:
        torch.sum(mode.from_tensor(y))
    return torch.sum(y)
