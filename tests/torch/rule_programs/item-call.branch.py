import torch


def step(x):
    if x.sum().item() > 0:
        return x.sin() + 1
    return x.cos() + 1


calls = [[torch.ones(3)], [-torch.ones(3)]]

# action 9


def step(x):
    return torch.where(x.sum() > 0, x.sin(), x.cos()) + 1


# action 10


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)) + 1
