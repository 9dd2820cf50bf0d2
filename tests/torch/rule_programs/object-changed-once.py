import torch

X = torch.ones(3)


def run(compile):
    torch._dynamo.config.error_on_recompile = False
    call = compile(lambda x, mode: x.sum() if mode == "sum" else x.mean())
    torch._dynamo.config.error_on_recompile = True
    return [call(X, mode) for mode in ("sum", "mean")]


# action 5


def run(compile):
    torch._dynamo.config.error_on_recompile = False
    call = compile(lambda x, mode: x.sum() if mode == "sum" else x.mean())
    for mode in ("sum", "mean"):
        call(X, mode)
    torch._dynamo.config.error_on_recompile = True
    return [call(X, mode) for mode in ("sum", "mean")]
