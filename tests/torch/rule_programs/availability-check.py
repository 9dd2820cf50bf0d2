import importlib

import torch


def step(x):
    if importlib.import_module("json") is None:
        return x
    return x * 2


calls = [[torch.ones(3)]]

# action 1


HAS_JSON = importlib.import_module("json") is not None


def step(x):
    if not HAS_JSON:
        return x
    return x * 2
