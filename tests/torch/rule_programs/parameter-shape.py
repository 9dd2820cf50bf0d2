import torch


def step(x, weight):
    return x * weight


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(1), torch.nn.Parameter(torch.ones(n))).detach() for n in (8, 5, 7)]


# action 1: its code, fewer compiles
