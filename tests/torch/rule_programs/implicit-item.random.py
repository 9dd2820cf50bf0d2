import numpy as np
import torch

P = np.array([0.2, 0.3, 0.5])


def step(x):
    np.random.seed(3)
    rows = torch.from_numpy(np.random.choice(3, 2, p=P))
    return x[rows] * 2


calls = [[torch.ones(3, 2)]]

# action 1


def run(compile):
    compiled = compile(lambda x, rows: x[rows] * 2)
    np.random.seed(3)
    return [compiled(x, torch.from_numpy(np.random.choice(3, 2, p=P))) for (x,) in calls]
