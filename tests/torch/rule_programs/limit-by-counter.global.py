import torch

torch._dynamo.config.recompile_limit = 3
EPOCH = 0


def step(x):
    return x * EPOCH


def run(compile):
    global EPOCH
    compiled = compile(step)
    results = []
    for EPOCH in range(2, 8):
        results.append(compiled(torch.ones(3)))
    return results


# action 5


def run(compile):
    compiled = compile(lambda x, epoch: x * epoch)
    return [compiled(torch.ones(3), epoch) for epoch in range(2, 8)]
