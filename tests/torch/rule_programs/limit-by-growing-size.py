import torch

torch._dynamo.config.recompile_limit = 5
torch._dynamo.config.automatic_dynamic_shapes = False


def run(compile):
    call = compile(lambda cache: cache.sum() * 2)
    cache = torch.ones(2)
    results = []
    for _ in range(9):
        results.append(call(cache))
        cache = torch.cat([cache, torch.ones(1)])
    return results


# action 2


def run(compile):
    call = compile(lambda cache: cache.sum() * 2)
    cache = torch.zeros(11)
    cache[:2] = 1
    results = []
    for i in range(2, 11):
        results.append(call(cache))
        cache.index_copy_(0, torch.tensor([i]), torch.ones(1))
    return results


# action 3


def run(compile):
    call = compile(lambda cache: cache.sum() * 2)
    cache = torch.ones(2)
    results = []
    for _ in range(9):
        torch._dynamo.mark_dynamic(cache, 0)
        results.append(call(cache))
        cache = torch.cat([cache, torch.ones(1)])
    return results
