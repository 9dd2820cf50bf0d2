# for limit-by-global-state: torch._dynamo.config.recompile_limit = 1
import torch


def step(x, y):
    return x * y


def run(compile):
    compiled = compile(step)
    x = torch.ones(3)
    return [compiled(x, torch.ones(3)), compiled(x, x)]


# action 1, limit-by-global-state 9


def run(compile):
    compiled = compile(step)
    x = torch.ones(3)
    return [compiled(x, torch.ones(3)), compiled(x, x.view_as(x))]
