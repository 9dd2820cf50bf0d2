import torch


def step(x):
    rows = x.numpy().ctypes.shape[0]
    return x * rows


calls = [[torch.ones(3)]]

# action 2


@torch.compiler.disable
def count(x):
    return x.numpy().ctypes.shape[0]


def step(x):
    return x * count(x)
