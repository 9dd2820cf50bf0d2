import torch

X = torch.ones(3)


def step(x):
    return x * 2


# program threads


def run(compile):
    call = compile(step)
    torch.set_num_threads(1)
    results = [call(X)]
    torch.set_num_threads(2)
    return [*results, call(X)]


# action 2


def run(compile):
    call = compile(step)
    torch.set_num_threads(2)
    return [call(X), call(X)]


# program dtype


def run(compile):
    call = compile(step)
    results = [call(X)]
    torch.set_default_dtype(torch.double)
    results.append(call(X))
    torch.set_default_dtype(torch.float)
    return results


# action 3


def run(compile):
    call = compile(step)
    torch.set_default_dtype(torch.double)
    results = [call(X), call(X)]
    torch.set_default_dtype(torch.float)
    return results
