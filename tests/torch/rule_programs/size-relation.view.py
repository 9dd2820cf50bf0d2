import torch


def step(x):
    x.mul_(2)
    return x + 1


def run(compile):
    compiled = compile(step, dynamic=True)
    results = []
    for n in (16, 4, 8):
        x = torch.ones(16, 3)[:n]
        results.append(compiled(x))
    return results


# action 7


def run(compile):
    compiled = compile(step, dynamic=True)
    results = []
    for n in (16, 4, 8):
        x = torch.ones(16, 3)[:n]
        x = x.clone()
        results.append(compiled(x))
    return results
