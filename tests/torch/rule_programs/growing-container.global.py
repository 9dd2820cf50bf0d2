# for limit-by-growing-list: torch._dynamo.config.recompile_limit = 5
import torch

ROWS = []


def step(x):
    return x + sum(ROWS)


def run(compile):
    compiled = compile(step)
    ROWS.clear()
    results = []
    for i in range(8):
        ROWS.append(torch.ones(3) * i)
        results.append(compiled(torch.ones(3)))
    return results


# action 4, limit-by-growing-list 4


def run(compile):
    compiled = compile(lambda x, total: x + total)
    ROWS.clear()
    results = []
    for i in range(8):
        ROWS.append(torch.ones(3) * i)
        results.append(compiled(torch.ones(3), sum(ROWS)))
    return results
