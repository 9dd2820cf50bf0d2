# for limit-by-size-relation: torch._dynamo.config.recompile_limit = 1
import torch


def step(x):
    return x * 2 if x.shape[0] % 8 == 0 else x * 3


def run(compile):
    compiled = compile(lambda x: x.sum() if x.shape[0] % 8 else x.sum() * 1, dynamic=True)
    return [compiled(torch.ones(n)) for n in (16, 9)]


# action 6, limit-by-size-relation 8


def run(compile):
    compiled = compile(lambda x: x.sum() if x.shape[0] % 8 else x.sum() * 1, dynamic=True)
    results = []
    for n in (16, 9):
        x = torch.ones(n)
        x = torch.nn.functional.pad(x, (0, -x.shape[-1] % 8))
        results.append(compiled(x))
    return results


# action 11, limit-by-size-relation 9


def run(compile):
    compiled = compile(lambda x: x.sum(), dynamic=True)
    return [compiled(torch.ones(n)) for n in (16, 9)]
