import torch


def step(x):
    return x * 2


calls = [[torch.ones(3, dtype=torch.int32)], [torch.ones(3, dtype=torch.int64)]]

# action 2


def run(compile):
    compiled = compile(step)
    return [compiled(x.to(torch.int64)).to(x.dtype) for (x,) in calls]
