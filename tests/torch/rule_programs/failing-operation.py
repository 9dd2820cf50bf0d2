import torch


def step(x):
    return x @ torch.ones(4, 2)


calls = [[torch.ones(3, 3)]]

# action 6


def step(x):
    return x @ torch.ones(3, 2)
