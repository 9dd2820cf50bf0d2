# for limit-by-growing-size: torch._dynamo.config.recompile_limit = 5
import logging

import torch

logs = {"graph_breaks": True, "recompiles": True, "dynamic": logging.INFO}


def run(compile):
    compiled = compile(lambda x: x.sum(), dynamic=False)
    return [compiled(torch.ones(n, 3)) for n in range(2, 10)]


# action 4, limit-by-growing-size 4


def run(compile):
    compiled = compile(lambda x: x.sum())
    return [compiled(torch.ones(n, 3)) for n in range(2, 10)]
