import os

import torch


def step(x):
    scale = os.cpu_count()
    return x * scale


calls = [[torch.ones(3)]]

# action 7


def run(compile):
    scale = os.cpu_count()
    compiled = compile(lambda x: x * scale)
    return [compiled(*arguments) for arguments in calls]


# action 8


@torch.compiler.disable
def count():
    return os.cpu_count()


def step(x):
    return x * count()
