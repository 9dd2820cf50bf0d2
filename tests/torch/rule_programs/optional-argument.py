import torch

X, BIAS = torch.ones(3), torch.ones(3)


# program argument


def run(compile):
    call = compile(lambda x, bias: x * 2 if bias is None else x * 2 + bias)
    return [call(X, None), call(X, BIAS)]


# action 3


def run(compile):
    call = compile(lambda x, bias: x * 2 + bias)
    return [call(X, torch.zeros(3)), call(X, BIAS)]


# program gradient


def run(compile):
    p = torch.ones(3, requires_grad=True)
    call = compile(lambda: p * 2 if p.grad is None else p * 2 + p.grad)
    results = [call().detach()]
    p.grad = torch.zeros(3)
    return [*results, call().detach()]


# action 1


def run(compile):
    p = torch.ones(3, requires_grad=True)
    p.grad = torch.zeros(3)
    call = compile(lambda: p * 2 if p.grad is None else p * 2 + p.grad)
    return [call().detach(), call().detach()]


# program setting


class Head(torch.nn.Module):
    def __init__(self, kind=None):
        super().__init__()
        self.kind = kind

    def forward(self, x):
        if self.kind is None:
            self.kind = "single"
        return x * 2 if self.kind == "single" else x


def run(compile):
    call = compile(Head())
    return [call(X), call(X), call(X)]


# action 2


def run(compile):
    call = compile(Head("single"))
    return [call(X), call(X), call(X)]
