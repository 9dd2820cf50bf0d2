# for limit-by-arguments: torch._dynamo.config.recompile_limit = 2
import torch

X = torch.ones(3)


def traced(compile):
    def decorate(function):
        def wrapper(*args):
            return function(*args) * 2

        return compile(wrapper)

    return decorate


def one(x):
    return x + 1


def two(x, y):
    return x + y


def three(x, y, z):
    return x + y + z


def run(compile):
    first, second, third = map(traced(compile), (one, two, three))
    return first(X), second(X, X), third(X, X, X)


# action 2, limit-by-arguments 2


def traced(compile):
    def decorate(function):
        compiled = compile(function)

        def wrapper(*args):
            return compiled(*args) * 2

        return wrapper

    return decorate


# action limit-by-arguments 4
torch._dynamo.config.recompile_limit = 16
