import functools

import torch


@functools.lru_cache
def table(n):
    return n * 2


def step(x):
    return x * table(3)


calls = [[torch.ones(3)]]

# action 1


def run(compile):
    compiled = compile(lambda x, scale: x * scale)
    return [compiled(x, table(3)) for (x,) in calls]
