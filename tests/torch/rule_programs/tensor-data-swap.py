import torch


def step(x):
    y = torch.zeros(3)
    y.data = x * 2
    return y + 1


calls = [[torch.ones(3)]]

# action 1


def step(x):
    y = torch.zeros(3)
    with torch.no_grad():
        y.copy_(x * 2)
    return y + 1
