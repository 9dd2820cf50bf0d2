import torch


def step(x):
    return x * 2 if x.shape[0] == 8 else x


def run(compile):
    compiled = compile(lambda x: x + torch.ones(8, 3))
    x = torch.ones(8, 3)
    torch._dynamo.mark_dynamic(x, 0)
    return [compiled(x)]


# action 1


def run(compile):
    compiled = compile(lambda x: x + torch.ones(x.shape[0], 3))
    x = torch.ones(8, 3)
    torch._dynamo.mark_dynamic(x, 0)
    return [compiled(x)]


# action 2


def run(compile):
    compiled = compile(lambda x: x + torch.ones(8, 3))
    x = torch.ones(8, 3)
    torch._dynamo.maybe_mark_dynamic(x, 0)
    return [compiled(x)]
