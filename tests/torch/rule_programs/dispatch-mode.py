import logging

import torch
from torch.utils.flop_counter import FlopCounterMode

logs = {"dynamo": logging.DEBUG}


def step(x):
    return x @ x + 1


def run(compile):
    compiled = compile(step)
    with FlopCounterMode(display=False):
        first = compiled(torch.ones(3, 3))
    return [first, compiled(torch.ones(3, 3))]


# action 1


def run(compile):
    compiled = compile(step)
    first = compiled(torch.ones(3, 3))
    with FlopCounterMode(display=False):
        step(torch.ones(3, 3))
    return [first, compiled(torch.ones(3, 3))]
