import torch

X, MASK = torch.ones(3), torch.zeros(3)


def step(x, batch):
    return x * batch.get("mask", 1)


def run(compile):
    compiled = compile(step)
    return [compiled(X, {}), compiled(X, {"mask": MASK})]


# action 1


def run(compile):
    compiled = compile(step)
    neutral = torch.ones(3)
    return [compiled(X, {"mask": neutral}), compiled(X, {"mask": MASK})]
