import torch


def step(x):
    scale = x.sum().item()
    return x * scale


calls = [[torch.ones(3) * i] for i in (2, 3, 4)]

# action 4


def step(x):
    scale = x.sum()
    return x * scale


# action 5: its code
