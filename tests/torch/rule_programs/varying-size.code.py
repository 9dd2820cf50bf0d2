# for limit-by-shape: torch._dynamo.config.recompile_limit = 2
import logging

import torch

logs = {"graph_breaks": True, "recompiles": True, "dynamic": logging.INFO}


def step(x):
    return x * int(f"{x.shape[0]}")


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(n, 3)) for n in (8, 5, 7)]


# action 6, limit-by-shape 5


def step(x):
    return x * x.shape[0]
