# for limit-by-object: torch._dynamo.config.recompile_limit = 2
import torch

Y = torch.ones(3)
SLOPES = (lambda y: -y, lambda y: y.cos(), lambda y: y.exp(), lambda y: y * 2)


def run(compile):
    advance = compile(lambda slope, y: y + 0.1 * slope(y))
    return [advance(slope, Y) for slope in SLOPES]


# action 2, limit-by-object 3


def run(compile):
    advance = compile(lambda k, y: y + 0.1 * k)
    return [advance(slope(Y), Y) for slope in SLOPES]
