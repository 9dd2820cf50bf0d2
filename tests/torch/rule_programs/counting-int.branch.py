# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, count):
    return x.sin() if count % 2 else x.cos()


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), count) for count in range(1, 6)]


# action 6, limit-by-counter 6


def run(compile):
    odd, even = compile(lambda x: x.sin()), compile(lambda x: x.cos())
    return [(odd if count % 2 else even)(torch.ones(3)) for count in range(1, 6)]
