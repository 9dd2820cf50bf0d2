import torch

X = torch.ones(3)


def run(compile):
    call = compile(lambda x, scale: x * scale)
    return [call(X, float("nan")), call(X, 2.5)]


# action 1


def run(compile):
    call = compile(lambda x, scale: x * scale)
    return [call(X, torch.tensor(float("nan"))), call(X, torch.tensor(2.5))]
