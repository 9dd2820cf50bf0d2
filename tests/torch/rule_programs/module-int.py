# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch

X = torch.ones(3)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 2

    def forward(self, x):
        return x * self.width


def run(compile):
    model = Model()
    call = compile(model)
    results = []
    for width in (2, 5, 3, 9):
        model.width = width
        results.append(call(X))
    return results


# action 1, limit-by-value 2: its code fewer compiles

# action 2, limit-by-value 3


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("held", torch.tensor(2), persistent=False)


    def forward(self, x):
        return x * self.held


def run(compile):
    model = Model()
    call = compile(model)
    results = []
    for width in (2, 5, 3, 9):
        model.held.fill_(width)
        results.append(call(X))
    return results
