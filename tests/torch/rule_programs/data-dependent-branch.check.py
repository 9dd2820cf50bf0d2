# program checks

import torch


def check_inputs(x):
    if torch.any(x < 0):
        raise ValueError("negative values")


def step(x):
    check_inputs(x)
    return x.sqrt() + 1


calls = [[torch.ones(3)], [torch.arange(3.0)]]

# action 3


def check_inputs(x):
    assert (x >= 0).all(), "negative values"
