import torch

X = torch.ones(3)

# program GB7324


options = {"fullgraph": True}


def step(x):
    y = (x * 2).requires_grad_()
    return y * 3


calls = [[X]]

# action 2


def step(x):
    y = (x * 2).requires_grad_()
    return (y * 3).detach()


# program GB8985


def step(x):
    y = (x * 2).requires_grad_()
    return y * 3


calls = [[X]]

# action 2


def step(x):
    y = (x * 2).requires_grad_()
    return (y * 3).detach()


