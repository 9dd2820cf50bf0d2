import itertools

import torch


def step(x):
    total = torch.zeros(3)
    for _, rows in itertools.groupby([x, x + 1], lambda row: row.dtype):
        for row in rows:
            total = total + row
    return total


calls = [[torch.ones(3)]]

# action 5


def step(x):
    total = torch.zeros(3)
    for row in [x, x + 1]:
        total = total + row
    return total
