import torch


def step(x):
    return x * 2


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(n, 3)) for n in (1, 5)]


# action 6


def run(compile):
    compiled = compile(step, dynamic=True)
    results = []
    for n in (1, 5):
        x = torch.ones(n, 3)
        if n < 2:
            x = torch.nn.functional.pad(x, (0, 0, 0, 2 - x.shape[0]))
        results.append(compiled(x)[:n])
    return results


# action 7


def run(compile):
    compiled = compile(step)
    results = []
    for n in (1, 5):
        x = torch.ones(n, 3)
        torch._dynamo.decorators.mark_unbacked(x, 0)
        results.append(compiled(x))
    return results
