import torch


def step(x, mask):
    return x[0, int(mask.sum())] + 1


calls = [[torch.arange(12.0).reshape(2, 6), torch.ones(n)] for n in (3, 2)]

# action 1


def run(compile):
    count = compile(lambda mask: mask.sum())
    return [x[0, int(count(mask))] + 1 for x, mask in calls]
