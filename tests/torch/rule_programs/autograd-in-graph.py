import torch

options = {"backend": "aot_eager"}


def step(x):
    h = x * 2
    h.retain_grad()
    return (h * h).sum(), h


def run(compile):
    compiled = compile(step)
    loss, h = compiled(torch.ones(3, requires_grad=True))
    loss.backward()
    return [loss.detach(), h.grad]


# action 15


def run(compile):
    doubled = compile(lambda x: x * 2)
    summed = compile(lambda h: (h * h).sum())
    h = doubled(torch.ones(3, requires_grad=True))
    h.retain_grad()
    loss = summed(h)
    loss.backward()
    return [loss.detach(), h.grad]
