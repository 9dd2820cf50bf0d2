import torch

X = [torch.ones(n) for n in (2, 3)]


def step(x):
    return x * 2


options = {"dynamic": False}


def run(compile):
    call = compile(step)
    for x in X:
        call(x)
    with torch.no_grad():
        return [call(x) for x in X]


# action 6


def run(compile):
    call = compile(step)
    with torch.no_grad():
        for x in X:
            call(x)
    with torch.no_grad():
        return [call(x) for x in X]
