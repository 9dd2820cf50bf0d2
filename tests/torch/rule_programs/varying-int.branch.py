import torch


def step(x, mode):
    return x.sin() if mode % 2 else x.cos()


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), mode) for mode in (3, 9, 6, 12)]


# action 7


def run(compile):
    odd, even = compile(lambda x: x.sin()), compile(lambda x: x.cos())
    return [(odd if mode % 2 else even)(torch.ones(3)) for mode in (3, 9, 6, 12)]
