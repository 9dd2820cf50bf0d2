# for limit-by-object: torch._dynamo.config.recompile_limit = 2
import torch

Y = torch.ones(3)
PAIRS = [(lambda y: -y, lambda y: y + 1), (lambda y: y.cos(), lambda y: y + 2), (lambda y: y.exp(), lambda y: y + 3), (lambda y: y * 2, lambda y: y + 4)]


def apply(y, left, right):
    return left(y) + right(y)


def run(compile):
    advance = compile(lambda y, left, right: apply(y, left, right) * 0.1)
    return [advance(Y, left, right) for left, right in PAIRS]


# action 2, limit-by-object 3


def run(compile):
    advance = compile(lambda y, left, right: (left + right) * 0.1)
    return [advance(Y, left(Y), right(Y)) for left, right in PAIRS]


# action limit-by-object 5


def run(compile):
    advances = [compile(lambda y, left, right: apply(y, left, right) * 0.1, isolate_recompiles=True) for _ in PAIRS]
    return [advance(Y, left, right) for advance, (left, right) in zip(advances, PAIRS)]


# action limit-by-object 6
torch._dynamo.config.recompile_limit = 16
