# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import torch


def step(x, mode):
    return x.sin() if mode % 2 else x.cos()


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), mode) for mode in (3, 9, 6, 12)]


# action 10, limit-by-value 22


def run(compile):
    compiled = compile(lambda x, is_odd: x.sin() if is_odd else x.cos())
    return [compiled(torch.ones(3), mode % 2 == 1) for mode in (3, 9, 6, 12)]
