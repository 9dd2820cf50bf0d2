import torch

# program GB0246


def step(x):
    return torch.nn.functional.one_hot(x) * 2


calls = [[torch.tensor([0, 2])]]

# action 1


def step(x):
    return torch.nn.functional.one_hot(x, num_classes=3) * 2
