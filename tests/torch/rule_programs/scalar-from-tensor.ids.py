import torch

# program GB0109


def step(x):
    return x * x.sum().tolist()


calls = [[torch.ones(3)]]

# action 2


def step(x):
    return x * x.sum()
