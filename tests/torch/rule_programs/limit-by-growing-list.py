import torch

X = torch.ones(3)
torch._dynamo.config.recompile_limit = 5


def run(compile):
    past = []
    call = compile(lambda x, past: x + sum(past))
    results = []
    for _ in range(9):
        results.append(call(X, past))
        past.append(X)
    return results


# action 1


def run(compile):
    past = torch.zeros(3)
    call = compile(lambda x, total: x + total)
    results = []
    for _ in range(9):
        results.append(call(X, past))
        past = past + X
    return results


# action 2


def run(compile):
    past = torch.zeros(9, 3)
    call = compile(lambda x, past: x + past.sum(0))
    results = []
    for i in range(9):
        results.append(call(X, past))
        past[i] = X
    return results
