import torch

X = torch.ones(3)


def step(x, batch):
    return (x + 0) * 2 if "debug" in batch else x * 2


def run(compile):
    compiled = compile(step)
    return [compiled(X, {}), compiled(X, {"debug": True})]


# action 3


def step(x, batch):
    return x * 2


def run(compile):
    compiled = compile(step)
    results = []
    for batch in ({}, {"debug": True}):
        batch.pop("debug", None)
        results.append(compiled(X, batch))
    return results
