import torch


def step(x):
    ordered = sorted([x, x + 1], key=lambda row: -row.sum())
    return ordered[0] * 2


calls = [[torch.ones(3)]]

# action 4


def step(x):
    rows = torch.stack([x, x + 1])
    order = torch.sort(-rows.sum(1)).indices
    return rows.index_select(0, order[:1]).squeeze(0) * 2


# action 5


def run(compile):
    compiled = compile(lambda x: x * 2)
    return [compiled(sorted([x, x + 1], key=lambda row: -row.sum())[0]) for (x,) in calls]
