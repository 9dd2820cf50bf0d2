import torch


def step(x):
    return x * 2


SIZES = (8, 5, 7, 12, 3, 9, 20, 11, 6, 15)


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(n, 3)) for n in SIZES]


# action 1


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(n, 3)) for n in SIZES]


# action 2


def run(compile):
    compiled = compile(step)
    results = []
    for n in SIZES:
        x = torch.ones(n, 3)
        torch._dynamo.mark_dynamic(x, 0)
        results.append(compiled(x))
    return results


# action 3


def run(compile):
    compiled = compile(step, dynamic=False)
    results = []
    for n in SIZES:
        size = next(bucket for bucket in (8, 16, 32) if bucket >= n)
        results.append(compiled(torch.nn.functional.pad(torch.ones(n, 3), (0, 0, 0, size - n)))[:n])
    return results
