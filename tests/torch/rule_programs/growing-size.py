# for limit-by-growing-size: torch._dynamo.config.recompile_limit = 5
import torch


def run(compile):
    compiled = compile(lambda cache: cache.sum(), dynamic=False)
    cache = torch.zeros(0, 3)
    results = []
    for i in range(8):
        cache = torch.cat([cache, torch.ones(1, 3)])
        results.append(compiled(cache))
    return results


# action 5, limit-by-growing-size 5


def run(compile):
    compiled = compile(lambda cache: cache.sum())
    cache = torch.zeros(0, 3)
    results = []
    for i in range(8):
        cache = torch.cat([cache, torch.ones(1, 3)])
        results.append(compiled(cache))
    return results


# action 6, limit-by-growing-size 6


def run(compile):
    def step(cache, position, new):
        cache.index_copy_(0, position, new)
        return cache.sum()

    compiled = compile(step)
    cache = torch.zeros(8, 3)
    return [compiled(cache, torch.tensor([i]), torch.ones(1, 3)) for i in range(8)]


# action 8, limit-by-growing-size 8


def run(compile):
    compiled = compile(lambda cache: cache.sum(), dynamic=False)
    cache = torch.zeros(0, 3)
    results = []
    for i in range(8):
        cache = torch.cat([cache, torch.ones(1, 3)])
        torch._dynamo.maybe_mark_dynamic(cache, 0)
        results.append(compiled(cache))
    return results
