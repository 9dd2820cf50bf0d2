import random

import torch

def step(x, p):
    if random.random() < p:
        x = x + x.sin()
    return x * 2


calls = [[torch.ones(3), 2.0], [-torch.ones(3), 2.0]]

# action 1


def step(x, p):
    keep = (torch.rand((), device=x.device) < p).to(x.dtype)
    x = x + keep * x.sin()
    return x * 2
