import torch


def step(rows):
    return sum(rows)


calls = [[[torch.ones(3)] * n] for n in (3, 5, 2, 4)]

# action 1


def run(compile):
    compiled = compile(lambda rows: rows.sum(0))
    return [compiled(torch.stack(list(rows))) for (rows,) in calls]
