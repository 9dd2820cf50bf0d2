import io

import torch

source = io.StringIO("2\n" * 9)


def step(x):
    scale = int(source.readline())
    return x * scale


calls = [[torch.ones(3)]]

# action 4


def run(compile):
    compiled = compile(lambda x, scale: x * scale)
    return [compiled(x, int(source.readline())) for (x,) in calls]


# action 6


@torch.compiler.disable
def read():
    return int(source.readline())


def step(x):
    return x * read()
