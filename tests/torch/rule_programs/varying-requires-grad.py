import torch


def step(x):
    return x * 2


calls = [[torch.ones(3)], [torch.ones(3, requires_grad=True)]]


def run(compile):
    compiled = compile(step)
    return [compiled(x).detach() for (x,) in calls]


# action 1


def run(compile):
    compiled = compile(step)
    return [compiled(x.detach()) for (x,) in calls]
