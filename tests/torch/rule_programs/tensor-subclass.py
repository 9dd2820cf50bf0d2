import torch


class Named(torch.Tensor):
    pass


def step(x):
    return x.sum() + (0 if x.grad is None else 1)


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3).as_subclass(Named)).as_subclass(torch.Tensor)]


# action 3


def run(compile):
    compiled = compile(step)
    x = torch.ones(3).as_subclass(Named)
    return [compiled(x.as_subclass(torch.Tensor))]
