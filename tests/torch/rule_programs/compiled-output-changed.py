import torch

options = {"backend": "aot_eager"}


def run(compile):
    x = torch.ones(3, requires_grad=True)
    y = compile(lambda x: x * 2)(x)
    z = y * y
    with torch.no_grad():
        y += 1
    z.sum().backward()
    return x.grad


# action 1


def run(compile):
    x = torch.ones(3, requires_grad=True)
    y = compile(lambda x: x * 2)(x)
    z = y * y
    y = y + 1
    z.sum().backward()
    return x.grad
