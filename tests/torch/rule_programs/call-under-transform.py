# for limit-by-transform: torch._dynamo.config.recompile_limit = 1
import torch

X = torch.ones(2, 3)


def step(x):
    return x * 2


# program tensor


def run(compile):
    call = compile(step)
    return [call(X), torch.vmap(call)(X)]


# action 1, limit-by-transform 1


def run(compile):
    call = compile(step)
    transformed = compile(lambda x: torch.vmap(step)(x))
    return [call(X), transformed(X)]


# program state


def run(compile):
    call = compile(lambda: torch.ones(3) * 2)
    return [torch.vmap(lambda x: x + call())(X), call()]


# action 1, limit-by-transform 1


def run(compile):
    transformed = compile(lambda x: torch.vmap(lambda x: x + torch.ones(3) * 2)(x))
    call = compile(lambda: torch.ones(3) * 2)
    return [transformed(X), call()]
