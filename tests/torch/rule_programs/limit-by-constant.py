import torch

X = torch.ones(3)
DTYPES = [torch.float, torch.double, torch.half]
torch._dynamo.config.recompile_limit = 2


def run(compile):
    call = compile(lambda x, dtype: (x * 2).to(dtype))
    return [call(X, dtype) for dtype in DTYPES]


# action 1


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X).to(dtype) for dtype in DTYPES]


# action 2
torch._dynamo.config.recompile_limit = 8
