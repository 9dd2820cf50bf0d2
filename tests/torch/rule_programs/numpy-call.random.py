import numpy as np
import torch


def step(x):
    return x * np.random.permutation(1).sum() + 1


calls = [[torch.ones(3)], [torch.ones(3) * 2]]

# action 3


def run(compile):
    compiled = compile(lambda x, drawn: x * drawn + 1)
    return [compiled(x, torch.tensor(np.random.permutation(1).sum())) for (x,) in calls]
