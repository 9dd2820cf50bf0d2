# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, function):
    return function(x)


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), lambda x, i=i: x * i) for i in (3, 9, 5, 12, 7)]


# action 5


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), lambda x, i=torch.tensor(i): x * i) for i in (3, 9, 5, 12, 7)]


# action 6, limit-by-value 10


def run(compile):
    compiled = compile(lambda x, function, i: function(x, i))
    return [compiled(torch.ones(3), lambda x, i: x * i, i) for i in (3, 9, 5, 12, 7)]
