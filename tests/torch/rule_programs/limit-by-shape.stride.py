import torch

torch._dynamo.config.recompile_limit = 1
X = torch.ones(4, 4)


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X), call(X.t())]


# action 5


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X), call(X.t().contiguous())]
