# for limit-by-size-relation: torch._dynamo.config.recompile_limit = 1
import torch


def step(x):
    return x * 2


def run(compile):
    compiled = compile(step, dynamic=True)
    return [compiled(torch.ones(n, 3)) for n in (8, 1)]


# action 5, limit-by-size-relation 3


def run(compile):
    compiled = compile(step, dynamic=True)
    results = []
    for n in (8, 1):
        x = torch.ones(n, 3)
        if n < 2:
            x = torch.nn.functional.pad(x, (0, 0, 0, 2 - x.shape[0]))
        results.append(compiled(x)[:n])
    return results


# action 6, limit-by-size-relation 10


def run(compile):
    compiled = compile(step, dynamic=True)
    results = []
    for n in (8, 1):
        x = torch.ones(n, 3)
        torch._dynamo.decorators.mark_unbacked(x, 0)
        results.append(compiled(x))
    return results
