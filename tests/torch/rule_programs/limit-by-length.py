import torch

X = torch.ones(3)
torch._dynamo.config.recompile_limit = 2


def run(compile):
    call = compile(lambda xs: torch.stack(xs).sum(0))
    return [call([X] * n) for n in (3, 1, 4, 2)]


# action 1


def run(compile):
    call = compile(lambda total: total * 1)
    return [call(torch.stack([X] * n).sum(0)) for n in (3, 1, 4, 2)]


# action 2


def run(compile):
    call = compile(lambda held: held.sum(0))
    return [call(torch.cat([torch.ones(n, 3), torch.zeros(4 - n, 3)])) for n in (3, 1, 4, 2)]
