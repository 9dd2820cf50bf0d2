import torch


def step(x):
    class Scale:
        value = 2

    return x * Scale.value


calls = [[torch.ones(3)]]

# action 18


class Scale:
    value = 2


def step(x):
    return x * Scale.value
