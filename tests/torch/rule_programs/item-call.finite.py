import torch


def step(x):
    y = x.sin()
    if not torch.isfinite(y).all().item():
        raise FloatingPointError("overflow")
    return y + 1


calls = [[torch.ones(3)]]

# action 5


def step(x):
    y = x.sin()
    assert torch.isfinite(y).all(), "overflow"
    return y + 1
