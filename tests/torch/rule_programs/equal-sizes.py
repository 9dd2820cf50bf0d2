import torch


def step(x, y):
    return x.sum() + y.sum()


def run(compile):
    compiled = compile(step, dynamic=True)
    return [compiled(torch.ones(a), torch.ones(b)) for a, b in ((8, 8), (5, 7))]


# action 1


def run(compile):
    compiled = compile(step, dynamic=True)
    results = []
    for a, b in ((8, 8), (5, 7)):
        x, y = torch.ones(a), torch.ones(b)
        torch._dynamo.maybe_mark_dynamic(x, 0)
        torch._dynamo.maybe_mark_dynamic(y, 0)
        results.append(compiled(x, y))
    return results


# action 2: its code
# action 3


def run(compile):
    compiled = compile(step, dynamic=True)
    compiled(torch.ones(6), torch.ones(9))
    return [compiled(torch.ones(a), torch.ones(b)) for a, b in ((8, 8), (5, 7))]
