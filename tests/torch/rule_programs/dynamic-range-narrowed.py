import torch


def step(x):
    return x * 2 if x.shape[0] <= 10 else x


def run(compile):
    compiled = compile(step)
    x = torch.ones(8, 3)
    torch._dynamo.mark_dynamic(x, 0, min=2, max=64)
    return [compiled(x)]


# action 4


def run(compile):
    compiled = compile(step)
    x = torch.ones(8, 3)
    torch._dynamo.mark_dynamic(x, 0, min=2, max=10)
    return [compiled(x)]


# action 5


def run(compile):
    compiled = compile(step)
    x = torch.ones(8, 3)
    torch._dynamo.mark_dynamic(x, 0)
    return [compiled(x)]
