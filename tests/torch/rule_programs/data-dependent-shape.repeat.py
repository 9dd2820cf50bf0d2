import torch


def step(x, n):
    return torch.repeat_interleave(x, n) * 2


calls = [[torch.tensor([1.0, 2.0]), torch.tensor([2, 3])], [torch.tensor([1.0, 2.0]), torch.tensor([4, 1])]]

# action 3


def step(x, n, total=5):
    return torch.repeat_interleave(x, n, output_size=total) * 2
