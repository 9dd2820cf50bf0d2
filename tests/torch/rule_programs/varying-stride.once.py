import torch


def run(compile):
    compiled = compile(lambda x: x * 2)
    return [compiled(torch.ones(4, n)[:, :4]) for n in (8, 5)]


# action 5


def run(compile):
    compiled = compile(lambda x: x * 2)
    return [compiled(torch.ones(4, n)[:, :4].contiguous()) for n in (8, 5)]
