# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, count):
    return sum(part.sum() for part in x.chunk(count))


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(16), count) for count in range(2, 7)]


# action 8, limit-by-counter 8: fewer compiles


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(16), 4 if count <= 4 else 8) for count in range(2, 7)]
