import torch


def step(x, **kwargs):
    return x + sum(kwargs.values())


def run(compile):
    compiled = compile(step)
    one, two = torch.ones(3), torch.zeros(3)
    return [
        compiled(one, **kwargs)
        for kwargs in ({"a": one}, {"a": one, "b": two}, {"a": one, "b": two, "c": one})
    ]


# action 6


def run(compile):
    compiled = compile(step)
    one, two = torch.ones(3), torch.zeros(3)
    neutral = torch.zeros(3)
    return [
        compiled(one, **{"a": neutral, "b": neutral, "c": neutral, **kwargs})
        for kwargs in ({"a": one}, {"a": one, "b": two}, {"a": one, "b": two, "c": one})
    ]
