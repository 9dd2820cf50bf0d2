import torch


def step(x):
    scale = x.abs().max().item()
    return x / scale


calls = [[torch.ones(3)], [torch.ones(3) * 2], [torch.ones(3) * 3]]

# action 11


def step(x):
    scale = x.abs().max()
    return x / scale


# action 12: its code
# action 13


def run(compile):
    def scaled(x):
        largest = x.abs().max()
        return x / largest, largest

    compiled = compile(scaled)
    results = []
    for (x,) in calls:
        y, largest = compiled(x)
        largest.item()
        results.append(y)
    return results
