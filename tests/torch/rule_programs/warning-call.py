import warnings

import torch


def step(x):
    h = x * 2
    warnings.warn("a large input")
    return h + 1


calls = [[torch.ones(3)]]

# action 1


def step(x):
    h = x * 2
    if not torch.compiler.is_compiling():
        warnings.warn("a large input")
    return h + 1


# action 3: its code
