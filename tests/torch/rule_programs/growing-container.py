# for limit-by-growing-list: torch._dynamo.config.recompile_limit = 5
import torch


def step(x, rows):
    return x + sum(rows)


def run(compile):
    compiled = compile(step)
    rows = []
    results = []
    for i in range(8):
        rows.append(torch.ones(3) * i)
        results.append(compiled(torch.ones(3), rows))
    return results


# action 5, limit-by-growing-list 5


def run(compile):
    compiled = compile(lambda x, rows: x + rows.sum(0))
    rows = torch.zeros(8, 3)
    results = []
    for i in range(8):
        rows[i] = torch.ones(3) * i
        results.append(compiled(torch.ones(3), rows))
    return results


# action 2, limit-by-growing-list 2


def run(compile):
    compiled = compile(lambda x, rows: x + rows.sum(0))
    rows = []
    results = []
    for i in range(8):
        rows.append(torch.ones(3) * i)
        results.append(compiled(torch.ones(3), torch.stack(rows)))
    return results


# action 1, limit-by-growing-list 1


def run(compile):
    compiled = compile(lambda x, rows: x + rows.sum(0))
    rows = torch.zeros(0, 3)
    results = []
    for i in range(8):
        rows = torch.cat([rows, torch.ones(1, 3) * i])
        results.append(compiled(torch.ones(3), rows))
    return results
