import torch

DATA = torch.arange(64.0).reshape(8, 8)


def run(compile):
    compiled = compile(lambda x: x * 2)
    return [compiled(DATA[n:]) for n in (4, 2, 0)]


# action 1


def run(compile):
    compiled = compile(lambda x: x * 2)
    return [compiled(DATA[n:].clone()) for n in (4, 2, 0)]
