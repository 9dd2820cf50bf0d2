import torch


def step(x, lengths):
    return torch.cat([x[i, :n] for i, n in enumerate(lengths.tolist())]).sum()


calls = [[torch.ones(2, 4), torch.tensor([2, 3])], [torch.ones(2, 4) * 2, torch.tensor([3, 2])]]

# action 4


def run(compile):
    compiled = compile(lambda x: x * 1)
    results = []
    for x, lengths in calls:
        y = compiled(x)
        results.append(torch.cat([y[i, :n] for i, n in enumerate(lengths.tolist())]).sum())
    return results


# action 5: its code
