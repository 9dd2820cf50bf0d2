# for limit-by-length: torch._dynamo.config.recompile_limit = 2
import torch


def step(rows):
    return sum(rows)


calls = [[[torch.ones(3)] * n] for n in (3, 5, 2, 4)]

# action 2, limit-by-length 2


def run(compile):
    compiled = compile(lambda rows: rows.sum(0))
    return [compiled(torch.stack(list(rows))) for (rows,) in calls]


# action 5, limit-by-length 5


def run(compile):
    compiled = compile(lambda rows: rows.sum(0))
    return [compiled(torch.cat([torch.stack(rows), torch.zeros(5 - len(rows), 3)])) for (rows,) in calls]
