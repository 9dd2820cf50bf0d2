import torch


class Layer(torch.nn.Module):
    def __init__(self, index):
        super().__init__()
        self.index = index

    def forward(self, x):
        return x * self.index


def run(compile):
    layers = [Layer(i) for i in range(2, 14)]
    for layer in layers:
        layer.compile(backend="eager") if compile(len) is not len else None
    x = torch.ones(3, dtype=torch.float64)
    for layer in layers:
        x = layer(x)
    return [x]


# action 1
torch._dynamo.config.recompile_limit = 32

# action 3


def run(compile):
    model = torch.nn.Sequential(*(Layer(i) for i in range(2, 14)))
    return [compile(model)(torch.ones(3, dtype=torch.float64))]


# action 4: its code
# action 5


def run(compile):
    layers = [Layer(i) for i in range(2, 14)]
    for layer in layers:
        layer.compile(backend="eager", isolate_recompiles=True) if compile(len) is not len else None
    x = torch.ones(3, dtype=torch.float64)
    for layer in layers:
        x = layer(x)
    return [x]
