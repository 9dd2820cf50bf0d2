import torch
from torch._higher_order_ops.scan import scan


def combine(carry, x):
    return carry + x, carry * x


def carried(compile, expand):
    init = torch.zeros(1, 2)
    if expand:
        init = init.expand(3, 2).clone()
    return compile(lambda init, xs: scan(combine, init, xs))(init, torch.ones(5, 3, 2))


def run(compile):
    return carried(compile, False)


# action 1


def run(compile):
    return carried(compile, True)
