import torch

NAMES = []


def step(x, epoch):
    y = x * 2
    NAMES.append(f"epoch {epoch}")
    return y + epoch


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), epoch) for epoch in (2, 3, 5)]


# action 1


def run(compile):
    compiled = compile(lambda x, epoch: x * 2 + epoch)
    results = []
    for epoch in (2, 3, 5):
        results.append(compiled(torch.ones(3), epoch))
        NAMES.append(f"epoch {epoch}")
    return results
