import torch


def step(table, index):
    return table[index + 1] * 2


calls = [[torch.ones(4, 3), torch.tensor(1)], [torch.ones(4, 3), torch.tensor(2)]]

# action 8


def step(table, index):
    return table.index_select(0, (index + 1).reshape(1)).squeeze(0) * 2
