import torch


def apply(x, fn):
    return fn(x) + 1


def double(x):
    return x * 2


def run(compile):
    compiled = compile(apply)
    x = torch.ones(3)
    return [compiled(x, double), compiled(x, torch.sin)]


# action 4


def run(compile):
    x = torch.ones(3)
    return [compile(lambda x: apply(x, double))(x), compile(lambda x: apply(x, torch.sin))(x)]
