import torch

history = []


def step(x):
    loss = (x * x).sum()
    history.append(loss.item())
    return loss * 2


calls = [[torch.ones(3)], [torch.ones(3) * 2], [torch.ones(3) * 3]]

# action 8


def run(compile):
    def losses(x):
        loss = (x * x).sum()
        return loss * 2, loss

    compiled = compile(losses)
    results = []
    for (x,) in calls:
        y, loss = compiled(x)
        history.append(loss.item())
        results.append(y)
    return results
