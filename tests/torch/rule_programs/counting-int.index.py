# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch

TABLE = [torch.ones(3) * item for item in range(9)]


def step(x, count):
    return x + TABLE[count]


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), count) for count in range(2, 7)]


# action 9, limit-by-counter 9


def run(compile):
    compiled = compile(lambda x, item: x + item)
    return [compiled(torch.ones(3), TABLE[count]) for count in range(2, 7)]
