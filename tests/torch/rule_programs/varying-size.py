# for limit-by-shape: torch._dynamo.config.recompile_limit = 2
import torch


def step(x):
    return x * 2


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(n, 3)) for n in (8, 5, 7)]


# action 8, limit-by-shape 7


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(n, 3)) for n in (8, 5, 7)]
