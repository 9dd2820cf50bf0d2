import torch

torch._dynamo.config.recompile_limit = 2


def step(x, counts):
    total = counts.sum().item()
    for _ in range(total):
        x = x * 2
    return x


calls = [[torch.ones(3), torch.full((2,), n)] for n in range(1, 5)]

# action 2


def step(x, counts):
    return x * 2.0 ** counts.sum()
