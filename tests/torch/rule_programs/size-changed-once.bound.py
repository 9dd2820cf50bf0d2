import logging

import torch

logs = {"recompiles": True, "dynamic": logging.INFO}
torch.manual_seed(0)
conv = torch.nn.Conv1d(3, 4, 3)


def step(x):
    return conv(x)


def run(compile):
    compiled = compile(step)
    with torch.no_grad():
        return [compiled(torch.ones(n, 3, 8)) for n in (20, 10)]


# action 1


def run(compile):
    compiled = compile(step)
    results = []
    with torch.no_grad():
        for n in (20, 10):
            x = torch.ones(n, 3, 8)
            padded = torch.cat([x, x.new_zeros(20 - n, 3, 8)])
            results.append(compiled(padded)[:n])
    return results
