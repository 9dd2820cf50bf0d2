import torch


def step(x):
    with open(__file__) as file:
        size = len(file.readline())
    return x * size


calls = [[torch.ones(3)]]

# action 1


def run(compile):
    with open(__file__) as file:
        size = len(file.readline())
    compiled = compile(lambda x, size: x * size)
    return [compiled(x, size) for (x,) in calls]
