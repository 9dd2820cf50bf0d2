import torch

table = {"a": 2}


def step(x, key):
    return x * table[key]


calls = [[torch.ones(3), "b"]]

# action 3
calls = [[torch.ones(3), "a"]]
