import torch


def step(x, weights):
    first, second = weights.tolist()
    return x * first + second


calls = [[torch.ones(3), torch.tensor([2.0, 3.0])], [torch.ones(3), torch.tensor([4.0, 5.0])]]

# action 4


def step(x, weights):
    first, second = weights.unbind()
    return x * first + second
