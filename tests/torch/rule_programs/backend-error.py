import torch


def failing(graph, inputs):
    raise RuntimeError("no kernel for this operator")


options = {"backend": failing}


def step(x):
    return x + 1


calls = [[torch.ones(3)]]
