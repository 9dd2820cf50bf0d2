# for limit-by-growing-size: torch._dynamo.config.recompile_limit = 5
import logging

import torch

logs = {"graph_breaks": True, "recompiles": True, "dynamic": logging.INFO}


def step(x):
    total = 0
    for row in x:
        total = total + row.sum()
    return total


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(n, 3)) for n in range(2, 10)]


# action 3, limit-by-growing-size 3


def step(x):
    return x.sum()


# action 9, limit-by-growing-size 9


def run(compile):
    compiled = compile(step)
    return [compiled(torch.nn.functional.pad(torch.ones(n, 3), (0, 0, 0, 9 - n))) for n in range(2, 10)]
