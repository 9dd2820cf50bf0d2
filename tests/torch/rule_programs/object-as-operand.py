import torch


def step(x):
    torch._assert(x.sum() > 0, ValueError)
    return x + 1


calls = [[torch.ones(3)]]

# action 1


def step(x):
    torch._assert(x.sum() > 0, "expected a positive sum")
    return x + 1
