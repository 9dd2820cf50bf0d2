# for limit-by-shape: torch._dynamo.config.recompile_limit = 3
import torch


def run(compile):
    compiled = compile(lambda x: x * 2, dynamic=False)
    return [compiled(torch.ones(4, n)[:, :4]) for n in (8, 5, 7, 12, 6)]


# action 3, limit-by-shape 14


def run(compile):
    compiled = compile(lambda x: x * 2, dynamic=False)
    results = []
    for n in (8, 5, 7, 12, 6):
        x = torch.ones(4, n)[:, :4]
        torch._dynamo.maybe_mark_dynamic(x, 1)
        results.append(compiled(x))
    return results


# action limit-by-shape 15


def run(compile):
    compiled = compile(lambda x: x * 2, dynamic=False)
    return [compiled(torch.ones(4, n)[:, :4].contiguous()) for n in (8, 5, 7, 12, 6)]
