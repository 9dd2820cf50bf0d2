import torch


def step(x):
    return x * 2.0


calls = [[torch.ones(3)], [torch.ones(3, dtype=torch.float64)]]

# action 1


def run(compile):
    compiled = compile(step)
    return [compiled(x.to(torch.float32)).to(x.dtype) for (x,) in calls]
