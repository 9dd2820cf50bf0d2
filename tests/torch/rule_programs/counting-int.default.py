# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, function):
    return function(x)


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), lambda x, i=i: x * i) for i in range(2, 7)]


# action 4, limit-by-counter 4


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), lambda x, i=torch.tensor(i): x * i) for i in range(2, 7)]


# action 6, limit-by-counter 6


def run(compile):
    compiled = compile(lambda x, function, i: function(x, i))
    return [compiled(torch.ones(3), lambda x, i: x * i, i) for i in range(2, 7)]
