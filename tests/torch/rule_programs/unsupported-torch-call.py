import torch


def step(x):
    y = x * 2
    y.resize_(2, 2)
    return y + 1


calls = [[torch.ones(4)]]

# action 12


def step(x):
    y = x * 2
    y = y.reshape(2, 2)
    return y + 1
