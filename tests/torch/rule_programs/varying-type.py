import torch


def step(x, pair):
    return x * pair[0] + pair[1]


calls = [[torch.ones(3), [2, 3]], [torch.ones(3), (2, 3)], [torch.ones(3), {0: 2, 1: 3}]]

# action 4


def run(compile):
    compiled = compile(step)
    return [compiled(x, (pair[0], pair[1])) for x, pair in calls]
