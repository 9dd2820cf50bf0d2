import torch

# no program GB5687: added after torch 2.13
# no program GB0288: torch 2.13 does not print it
# no program GB0214: no small program shows it on torch 2.13
# no program GB5565: torch 2.13 does not print it

X = torch.ones(3)

# program GB0207


def step(x):
    parts = [x.sum(), x.mean(), x.min() - 2]
    return sorted(parts)[0] * 2


calls = [[X]]

# action 1


def step(x):
    parts = torch.stack([x.sum(), x.mean(), x.min() - 2])
    order = torch.argsort(parts)
    return parts[order][0] * 2


# program GB9158


def step(x):
    torch._check(x.shape[0] > 0, lambda: f"empty: {x}")
    return x * 2


calls = [[X]]

# action 2


def step(x):
    torch._check(x.shape[0] > 0, lambda: "n has to be positive")
    return x * 2


# program GB9840
import functools


def step(x):
    torch._check(x.shape[0] > 0, functools.partial(str, "empty"))
    return x * 2


calls = [[X]]

# action 2


def step(x):
    torch._check(x.shape[0] > 0, lambda: "n has to be positive")
    return x * 2


# program GB6622


def step(x):
    return x * (2 if [x.sum()] == [x.max()] else 3)


calls = [[X]]

# action 3


def step(x):
    return x * torch.where(x.sum() == x.max(), 2, 3)
