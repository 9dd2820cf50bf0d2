import traceback

import torch

table = {"a": 2}


def step(x):
    try:
        scale = table["b"]
    except KeyError:
        traceback.format_exc()
        scale = 1
    return x * scale


calls = [[torch.ones(3)]]

# action 3


def step(x):
    return x * table.get("b", 1)
