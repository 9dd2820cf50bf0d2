import torch

# no program GB0079: no small program shows it on torch 2.13
# no program GB6604: no small program shows it on torch 2.13

# program GB0082


class Doubled:
    def __init__(self, x):
        self.x = x

    def __await__(self):
        return iter([self.x * 2])


async def doubled(x):
    return await Doubled(x)


def step(x):
    return next(doubled(x).__await__())


calls = [[torch.ones(3)]]

# action 1


def step(x):
    return x * 2
