import torch


def step(x):
    rows = torch.nonzero(x > 0).squeeze(1)
    return x[rows].sum() * 2


calls = [[torch.tensor([1.0, -2.0, 3.0])], [torch.tensor([1.0, 2.0, 3.0])]]

# action 5


def step(x):
    return torch.where(x > 0, x, 0).sum() * 2


# action 6


def step(x):
    rows = torch.nonzero_static(x > 0, size=4, fill_value=-1).squeeze(1)
    return torch.where(rows >= 0, x[rows], 0).sum() * 2


# action 7: its code
