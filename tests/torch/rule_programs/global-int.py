# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch

EPOCH = 0


def step(x):
    return x * EPOCH


def run(compile):
    global EPOCH
    compiled = compile(step)
    results = []
    for EPOCH in (2, 7, 3, 9, 5, 8):
        results.append(compiled(torch.ones(3)))
    return results


# action 1


def run(compile):
    global EPOCH
    compiled = compile(step)
    results = []
    for epoch in (2, 7, 3, 9, 5, 8):
        EPOCH = torch.tensor(epoch)
        results.append(compiled(torch.ones(3)))
    return results


# action 2, limit-by-value 9


def run(compile):
    compiled = compile(lambda x, epoch: x * epoch)
    return [compiled(torch.ones(3), epoch) for epoch in (2, 7, 3, 9, 5, 8)]
