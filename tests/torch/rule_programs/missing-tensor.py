import torch

X, BIAS = torch.ones(3), torch.ones(3)


def run(compile):
    call = compile(lambda x, bias: x * 2 if bias is None else x * 2 + bias)
    return [call(X, BIAS), call(X, None)]


# action 3


def run(compile):
    call = compile(lambda x, bias: x * 2 + bias)
    return [call(X, BIAS), call(X, torch.zeros(3))]
