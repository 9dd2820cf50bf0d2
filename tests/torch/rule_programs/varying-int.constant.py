# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, parts):
    return sum(part.sum() for part in x.chunk(parts))


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(16), parts) for parts in (2, 8, 4, 16)]


# action 8, limit-by-value 14: fewer compiles


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(16), parts) for parts in (4, 8, 4, 8)]
