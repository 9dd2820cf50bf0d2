import torch


def run(compile):
    compiled = compile(lambda x: x + torch.ones(8, 3))
    x = torch.ones(8, 3)
    torch._dynamo.mark_dynamic(x, 0)
    return [compiled(x)]


# action 2


def run(compile):
    compiled = compile(lambda x: x + torch.ones(x.shape[0], 3))
    x = torch.ones(8, 3)
    torch._dynamo.mark_dynamic(x, 0)
    return [compiled(x)]


# action 4


def run(compile):
    compiled = compile(lambda x: x + torch.ones(8, 3))
    x = torch.ones(8, 3)
    torch._dynamo.maybe_mark_dynamic(x, 0)
    return [compiled(x)]
