# for limit-by-shape: torch._dynamo.config.recompile_limit = 1
import torch


def step(x):
    return x * 2


calls = [[torch.ones(4, 4)], [torch.ones(4, 4).t()]]


def run(compile):
    compiled = compile(step)
    x = torch.arange(16.0).reshape(4, 4)
    return [compiled(x), compiled(x.t())]


# action 4, limit-by-shape 16


def run(compile):
    compiled = compile(step)
    x = torch.arange(16.0).reshape(4, 4)
    return [compiled(x.contiguous()), compiled(x.t().contiguous())]
