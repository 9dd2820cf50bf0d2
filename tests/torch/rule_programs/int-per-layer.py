# for limit-by-enumeration: torch._dynamo.config.recompile_limit = 3
import torch


class Layer(torch.nn.Module):
    def __init__(self, index):
        super().__init__()
        self.index = index

    def forward(self, x):
        return x * self.index


def run(compile):
    layers = [compile(Layer(i)) for i in range(2, 7)]
    x = torch.ones(3)
    for layer in layers:
        x = layer(x)
    return [x]


# action 2, limit-by-enumeration 2


def run(compile):
    model = torch.nn.Sequential(*(Layer(i) for i in range(2, 7)))
    return [compile(model)(torch.ones(3))]


# action 3, limit-by-enumeration 7: its code, fewer compiles
# action 4


class Layer(torch.nn.Module):
    def __init__(self, index):
        super().__init__()
        self.register_buffer("index", torch.tensor(index), persistent=False)

    def forward(self, x):
        return x * self.index


# action 5, limit-by-enumeration 8


def run(compile):
    layers = [compile(Layer(i), isolate_recompiles=True) for i in range(2, 7)]
    x = torch.ones(3)
    for layer in layers:
        x = layer(x)
    return [x]


# action limit-by-enumeration 3
torch._dynamo.config.recompile_limit = 16
