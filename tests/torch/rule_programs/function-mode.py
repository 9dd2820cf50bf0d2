import torch
from torch.overrides import TorchFunctionMode

X = torch.ones(3)


class Mode(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        return function(*args, **(kwargs or {}))


def run(compile):
    call = compile(lambda x: x * 2)
    results = [call(X)]
    with Mode():
        return [*results, call(X)]


# action 1


def run(compile):
    call = compile(lambda x: x * 2)
    with Mode():
        return [call(X), call(X)]
