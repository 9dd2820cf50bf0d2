import torch


def step(x):
    return x * 2


calls = [[torch.ones(2, 3)], [torch.ones(3)]]

# action 1


def run(compile):
    compiled = compile(step, dynamic=True)
    results = []
    for (x,) in calls:
        results.append(compiled(x.unsqueeze(0))[0] if x.dim() == 1 else compiled(x))
    return results
