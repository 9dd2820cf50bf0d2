import torch


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x, lambda x: x + 2, (x,)) * 2


calls = [[torch.ones(3)]]

# action 14


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x.clone(), lambda x: x + 2, (x,)) * 2
