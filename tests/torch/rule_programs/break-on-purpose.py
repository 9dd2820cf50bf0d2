import torch


def step(x):
    h = x * 2
    torch._dynamo.graph_break()
    return h + 1


calls = [[torch.ones(3)]]

# action 2


def step(x):
    h = x * 2
    return h + 1
