# for limit-by-shape: torch._dynamo.config.recompile_limit = 2
import logging

import torch

logs = {"graph_breaks": True, "recompiles": True, "dynamic": logging.INFO}


def run(compile):
    compiled = compile(lambda x: x * 2, dynamic=False)
    return [compiled(torch.ones(n, 3)) for n in (8, 5, 7)]


# action 7, limit-by-shape 6


def run(compile):
    compiled = compile(lambda x: x * 2)
    return [compiled(torch.ones(n, 3)) for n in (8, 5, 7)]
