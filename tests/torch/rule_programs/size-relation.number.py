# for limit-by-size-relation: torch._dynamo.config.recompile_limit = 4
import numpy as np
import torch


def weight(t):
    return np.exp(-np.arange(4) / (1 + t))


def step(x, t):
    return x * torch.as_tensor(np.exp(-np.arange(4) / (1 + t)))


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(4), 1.0 / n) for n in range(1, 7)]


# action 1, limit-by-size-relation 2


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(4), torch.tensor(1.0 / n, dtype=torch.float64)) for n in range(1, 7)]


# action 2, limit-by-size-relation 3


def run(compile):
    compiled = compile(lambda x, weight: x * weight)
    return [compiled(torch.ones(4), torch.as_tensor(weight(1.0 / n))) for n in range(1, 7)]
