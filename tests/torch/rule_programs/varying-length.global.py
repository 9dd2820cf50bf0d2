# for limit-by-length: torch._dynamo.config.recompile_limit = 2
import torch

ROWS = []


def step(x):
    return x + sum(ROWS)


def run(compile):
    compiled = compile(step)
    results = []
    for n in (3, 5, 2, 4):
        ROWS[:] = [torch.ones(3)] * n
        results.append(compiled(torch.ones(3)))
    return results


# action 4, limit-by-length 4


def run(compile):
    compiled = compile(lambda x, total: x + total)
    results = []
    for n in (3, 5, 2, 4):
        ROWS[:] = [torch.ones(3)] * n
        results.append(compiled(torch.ones(3), sum(ROWS)))
    return results
