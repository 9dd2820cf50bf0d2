import torch

seen = []


def step(x):
    h = x * 2
    seen.append(repr(h))
    return h + 1


calls = [[torch.ones(3)]]

# action 5


def step(x):
    h = x * 2
    if not torch.compiler.is_compiling():
        seen.append(repr(h))
    return h + 1


# action 6


def run(compile):
    def twice(x):
        h = x * 2
        return h + 1, h

    compiled = compile(twice)
    results = []
    for (x,) in calls:
        y, h = compiled(x)
        seen.append(repr(h))
        results.append(y)
    return results
