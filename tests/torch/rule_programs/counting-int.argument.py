# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, count):
    return x * count


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), count) for count in range(5)]


# action 4, limit-by-counter 4


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), torch.tensor(count)) for count in range(5)]


# action 11, limit-by-counter 11


def run(compile):
    compiled = compile(lambda x: x * 1)
    return [compiled(torch.ones(3)) * count for count in range(5)]
