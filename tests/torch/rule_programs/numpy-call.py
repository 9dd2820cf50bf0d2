import numpy
import torch


def step(x):
    return torch.from_numpy(numpy.nanmedian(x.numpy(), keepdims=True)) + 1


calls = [[torch.tensor([1.0, 2.0, 3.0])]]

# action 4


def step(x):
    return torch.nanmedian(x).reshape(1) + 1


# action 5


def run(compile):
    compiled = compile(lambda median: median + 1)
    return [compiled(torch.from_numpy(numpy.nanmedian(x.numpy(), keepdims=True))) for (x,) in calls]
