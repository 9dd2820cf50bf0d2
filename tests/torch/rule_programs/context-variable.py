import contextvars

import torch

scale = contextvars.ContextVar("scale", default=2)


def step(x):
    token = scale.set(3)
    y = x * scale.get()
    scale.reset(token)
    return y


calls = [[torch.ones(3)]]

# action 1


def run(compile):
    compiled = compile(lambda x, factor: x * factor)
    results = []
    for (x,) in calls:
        token = scale.set(3)
        results.append(compiled(x, scale.get()))
        scale.reset(token)
    return results
