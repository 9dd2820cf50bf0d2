import torch


def step(x):
    loss = (x * x).sum()
    loss.backward()
    return loss.detach(), x.grad


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3, requires_grad=True))]


# action 2


def run(compile):
    compiled = compile(lambda x: (x * x).sum())
    x = torch.ones(3, requires_grad=True)
    loss = compiled(x)
    loss.backward()
    return [(loss.detach(), x.grad)]


# action 3: its code
