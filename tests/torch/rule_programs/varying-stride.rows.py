import torch


def run(compile):
    compiled = compile(lambda x: x * 2, dynamic=False)
    return [compiled(torch.ones(1, n, 4)[:, 0]) for n in (8, 5, 7, 12, 6)]


# action 6


def run(compile):
    compiled = compile(lambda x: x * 2, dynamic=False)
    results = []
    for n in (8, 5, 7, 12, 6):
        x = torch.ones(1, n, 4)[:, 0]
        x = x.clone(memory_format=torch.contiguous_format)
        results.append(compiled(x))
    return results
