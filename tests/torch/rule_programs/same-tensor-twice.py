import torch


def step(x, y):
    return x * y


def run(compile):
    compiled = compile(step)
    x = torch.ones(3)
    return [compiled(x, torch.ones(3)), compiled(x, x)]


# action 1


def run(compile):
    compiled = compile(step)
    x = torch.ones(3)
    return [compiled(x, torch.ones(3)), compiled(x, x.view_as(x))]
