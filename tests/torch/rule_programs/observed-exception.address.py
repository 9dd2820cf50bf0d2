import torch


def step(x):
    x = x + 1
    y = x if x.data_ptr() % 16 == 0 else x.clone()
    return y * 2


calls = [[torch.ones(8)]]

# action 1


def step(x):
    y = (x + 1).clone()
    return y * 2
