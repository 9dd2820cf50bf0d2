import torch


def step(x):
    return x * 2


calls = [[torch.ones(3, 64)], [torch.ones(3, 72)]]

# action 9


def run(compile):
    compiled = compile(step)
    results = []
    for (x,) in calls:
        torch._dynamo.maybe_mark_dynamic(x, 1)
        results.append(compiled(x))
    return results
