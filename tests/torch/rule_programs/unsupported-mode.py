import torch


def step(x):
    if x.is_inference():
        return x * 2
    return x * 3


calls = [[torch.ones(3)]]

# action 7


def run(compile):
    def scaled(x, is_inference):
        return x * (2 if is_inference else 3)

    compiled = compile(scaled)
    return [compiled(x, x.is_inference()) for (x,) in calls]
