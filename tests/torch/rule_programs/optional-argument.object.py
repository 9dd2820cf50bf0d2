import types

import torch

X = torch.ones(3)


def step(x, cache):
    x = x * 2
    return x if cache.last is None else x + cache.last


def run(compile):
    call, cache = compile(step), types.SimpleNamespace(last=None)
    results = []
    for _ in range(3):
        cache.last = call(X, cache)
        results.append(cache.last)
    return results


# action 7


def run(compile):
    call, cache = compile(step), types.SimpleNamespace(last=torch.zeros(3))
    results = []
    for _ in range(3):
        cache.last = call(X, cache)
        results.append(cache.last)
    return results
