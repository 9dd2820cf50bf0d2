import torch


def step(x, weight):
    (grad,) = torch.autograd.grad((x * weight).sin().sum(), x, create_graph=True)
    return (grad * grad).sum().detach()


calls = [[torch.ones(3, requires_grad=True), torch.ones(3, requires_grad=True)]]

# action 1: its code
