import torch


def f(x):
    return x.sin() + 1


def run(compile):
    return [torch.func.vmap(compile(f, fullgraph=True))(torch.arange(12.0).view(3, 4))]


# action 1


def run(compile):
    return [compile(torch.func.vmap(f), fullgraph=True)(torch.arange(12.0).view(3, 4))]
