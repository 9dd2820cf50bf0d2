# for limit-by-keys: torch._dynamo.config.recompile_limit = 2
import torch

X = torch.ones(3)


def run(compile):
    compiled = compile(lambda x, cache: x * sum(cache.values()))
    return [compiled(X, {name: X}) for name in "abcd"]


# action 4, limit-by-keys 5


def run(compile):
    compiled = compile(lambda x, scale: x * sum([scale]))
    cache = {name: X for name in "abcd"}
    return [compiled(X, cache[name]) for name in "abcd"]
