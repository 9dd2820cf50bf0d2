import torch


def step(x, max_length):
    return x + torch.zeros(max_length).sum()


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), max_length) for max_length in (30, 90, 50)]


# action 3


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), -(-max_length // 256) * 256) for max_length in (30, 90, 50)]
