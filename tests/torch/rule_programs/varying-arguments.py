# for limit-by-arguments: torch._dynamo.config.recompile_limit = 2
import torch

X = torch.ones(3)


def run(compile):
    call = compile(lambda *args: sum(args) * 2)
    return call(X, X), call(X, X, X), call(X, X, X, X)


# action 3, limit-by-arguments 3


def run(compile):
    call = compile(lambda stacked: stacked.sum(0) * 2)
    return tuple(call(torch.stack([X] * n)) for n in (2, 3, 4))
