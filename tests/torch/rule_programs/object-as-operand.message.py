import torch


class Text:
    def __str__(self):
        return "expected a positive sum"


def step(x):
    torch._assert(x.sum() > 0, Text())
    return x + 1


calls = [[torch.ones(3)]]

# action 2


def step(x):
    torch._assert(x.sum() > 0, "expected a positive sum")
    return x + 1
