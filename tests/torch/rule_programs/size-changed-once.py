import torch


def step(x):
    return x * 2


calls = [[torch.ones(8, 3)], [torch.ones(5, 3)]]

# action 4


def run(compile):
    compiled = compile(step)
    results = []
    for (x,) in calls:
        torch._dynamo.maybe_mark_dynamic(x, 0)
        results.append(compiled(x))
    return results


# action 5
torch.compiler.config.dynamic_sources = "L['x']:0"


# action 2


def run(compile):
    compiled = compile(step, dynamic=True)
    return [compiled(*call) for call in calls]
