# for limit-by-global-state: torch._dynamo.config.recompile_limit = 1
import torch

X = torch.ones(3)


def run(compile):
    call = compile(lambda x: x * 2)
    results = [call(X)]
    with torch.device("cpu"):
        return [*results, call(X)]


# action 1


def run(compile):
    call = compile(lambda x: x * 2)
    with torch.device("cpu"):
        return [call(X), call(X)]


# action limit-by-global-state 6


def run(compile):
    torch.set_default_device("cpu")
    call = compile(lambda x: x * 2)
    return [call(X), call(X)]
