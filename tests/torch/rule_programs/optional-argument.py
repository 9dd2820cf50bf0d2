import torch

X = torch.ones(3)


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


# action 3


def run(compile):
    call = compile(Head("single"))
    return [call(X), call(X), call(X)]


# program state


class Smooth(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        x = x * 2
        self.last = x if self.last is None else 0.5 * self.last + x
        return self.last


def run(compile):
    module = Smooth()
    call = compile(module)
    results = []
    for _ in range(2):
        module.last = None
        results += [call(X), call(X), call(X)]
    return results


# action 2


class Filled(torch.nn.Module):
    def reset(self):
        self.last, self.has_last = torch.zeros(3), torch.zeros(())

    def forward(self, x):
        self.last = self.has_last * 0.5 * self.last + x * 2
        self.has_last = torch.ones(())
        return self.last


def run(compile):
    module = Filled()
    call = compile(module)
    results = []
    for _ in range(2):
        module.reset()
        results += [call(X), call(X), call(X)]
    return results
