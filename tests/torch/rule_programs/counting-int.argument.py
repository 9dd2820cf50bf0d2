# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, count):
    return x * count


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), count) for count in range(5)]


# action 2, limit-by-counter 2


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), torch.tensor(count)) for count in range(5)]


# action 8, limit-by-counter 8


def run(compile):
    compiled = compile(lambda x: x * 1)
    return [compiled(torch.ones(3)) * count for count in range(5)]
