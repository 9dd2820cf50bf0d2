import torch


def run(compile):
    compiled = compile(lambda x: x * 2, dynamic=False)
    return [compiled(torch.ones(2, n)) for n in (16, 32, 64, 128)]


# action 2


def run(compile):
    compiled = compile(lambda x: x * 2)
    return [compiled(torch.ones(2, n)) for n in (16, 32, 64, 128)]
