import torch

X = torch.ones(3)
torch._dynamo.config.recompile_limit = 3


def traced(compile):
    def decorate(function):
        def wrapper(*args):
            return function(*args) * 2

        return compile(wrapper)

    return decorate


FUNCTIONS = [lambda a: a, lambda a, b: a + b, lambda a, b, c: a + b + c, lambda a, b, c, d: a + b + c + d]


def run(compile):
    functions = map(traced(compile), FUNCTIONS)
    return [function(*[X] * n) for n, function in enumerate(functions, 1)]


# action 1


def traced(compile):
    def decorate(function):
        compiled = compile(function)

        def wrapper(*args):
            return compiled(*args) * 2

        return wrapper

    return decorate


# action 2


def run(compile):
    call = compile(lambda stacked: stacked.sum(0) * 2)
    return [call(torch.stack([X] * n)) for n in (1, 2, 3, 4)]


# action 3
torch._dynamo.config.recompile_limit = 12
