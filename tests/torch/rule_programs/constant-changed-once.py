import torch

X = torch.ones(3)


def run(compile):
    torch._dynamo.config.error_on_recompile = False
    call = compile(lambda x, dtype: (x * 2).to(dtype))
    torch._dynamo.config.error_on_recompile = True
    return [call(X, dtype) for dtype in (torch.float, torch.double)]


# action 1


def run(compile):
    torch._dynamo.config.error_on_recompile = False
    call = compile(lambda x, dtype: (x * 2).to(dtype))
    for dtype in (torch.float, torch.double):
        call(X, dtype)
    torch._dynamo.config.error_on_recompile = True
    return [call(X, dtype) for dtype in (torch.float, torch.double)]
