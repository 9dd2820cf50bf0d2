import collections

import torch

# no program GB0459: torch 2.13 does not print it
# no program GB1275: torch 2.13 does not print it
# no program GB2852: no small program shows it on torch 2.13
# no program GB5380: torch 2.13 does not print it
# no program GB7968: torch 2.13 does not print it
# no program GB8315: torch 2.13 does not print it

X = torch.ones(3)
TEXTS = []


def log(*texts):
    TEXTS.append(texts)


# program GB0296
torch._dynamo.config.reorderable_logging_functions.add(log)


def step(x):
    x = x * 2
    log(x, {"a": object})
    return x + 1


calls = [[X]]

# action 1


def step(x):
    x = x * 2
    log("sum", x)
    return x + 1


# program GB0569


def step(x):
    x = x * 2
    return x + len(repr(x)[:3])


calls = [[X]]

# action 2


def run(compile):
    y = compile(lambda x: x * 2)(X)
    return [y + len(repr(y)[:3])]


# program GB1584


def step(x):
    y = x * 2

    def add(z):
        return z + y

    return add(x) + len(repr(add)[:3])


calls = [[X]]

# action 2


def run(compile):
    y = compile(lambda x: x * 2)(X)

    def add(z):
        return z + y

    return [add(X) + len(repr(add)[:3])]


# program GB0022
import sys

sys.modules["odd_module"] = collections.UserDict()


def step(x):
    import odd_module

    return x * 2 + len(odd_module)


calls = [[X]]

# action 3
import odd_module


def step(x):
    return x * 2 + len(odd_module)
