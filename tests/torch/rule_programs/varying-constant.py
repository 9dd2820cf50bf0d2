# for limit-by-constant: torch._dynamo.config.recompile_limit = 2
import torch

X = torch.ones(3)
DTYPES = [torch.float, torch.double, torch.half, torch.bfloat16]

# program dtype


def run(compile):
    call = compile(lambda x, dtype: (x * 2).to(dtype))
    return [call(X, dtype) for dtype in DTYPES]


# action 1


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X).to(dtype) for dtype in DTYPES]


# action 2, limit-by-constant 1


def run(compile):
    call = compile(lambda x: x * 2)
    return [call(X).to(dtype) for dtype in DTYPES]


# action 3


def run(compile):
    calls = {dtype: compile(eval("lambda x, dtype: (x * 2).to(dtype)", {})) for dtype in DTYPES}
    return [calls[dtype](X, dtype) for dtype in DTYPES]


# action limit-by-constant 2
torch._dynamo.config.recompile_limit = 16
