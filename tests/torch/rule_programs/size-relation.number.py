import torch


def step(x, position):
    return x * 2 if position >= 10 else x * 3


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), n) for n in (40, 30, 20, 5)]


# action 4


def step(x, factor):
    return x * factor


def run(compile):
    compiled = compile(step)
    return [
        compiled(torch.ones(3), torch.tensor(2.0 if n >= 10 else 3.0)) for n in (40, 30, 20, 5)
    ]
