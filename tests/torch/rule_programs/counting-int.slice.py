# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, count):
    return x[:count].sum(0)


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(9, 3), count) for count in range(2, 7)]


# action 12, limit-by-counter 12


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(9, 3), count) for count in range(2, 7)]
