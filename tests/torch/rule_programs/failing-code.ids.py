import torch

# no program GB0350: torch 2.13 prints GB0314 for it
# no program GB0351: no small program shows it on torch 2.13

X = torch.ones(3)

# program GB0314


def step(x):
    return torch.cond(x.sum() > 0, lambda x: (x.sin(), 1.5), lambda x: (x.cos(), 1.5), (x,))[0]


calls = [[X]]

# action 5


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))
