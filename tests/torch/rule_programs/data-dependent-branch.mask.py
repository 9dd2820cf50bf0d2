# program isfinite

import torch


def step(x):
    if not torch.isfinite(x).all():
        x = torch.nan_to_num(x, nan=0.0, posinf=0.0, neginf=0.0)
    return x.sin() + 1


calls = [[torch.ones(3)], [torch.tensor([1.0, float("inf"), 2.0])]]

# action 4


def step(x):
    x = torch.where(torch.isfinite(x), x, 0)
    return x.sin() + 1


# program any

import torch


def step(x, target):
    mask = target > 0
    if mask.any():
        return (x[mask] - target[mask]).abs().mean()
    return x.sum() * 0


calls = [[torch.ones(4), torch.tensor([0.0, 2.0, 3.0, -1.0])], [torch.ones(4), -torch.ones(4)]]

# action 5


def step(x, target):
    mask = target > 0
    losses = (x - target).abs()
    return torch.where(mask, losses, 0).sum() / mask.sum().clamp(min=1)
