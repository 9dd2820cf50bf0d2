# for limit-by-enumeration: torch._dynamo.config.recompile_limit = 3
import torch


class Layer(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def forward(self, x):
        if self.name.endswith("v"):
            x = x * 2
        return x + 1


def run(compile):
    layers = [compile(Layer(f"layers.{i}.{part}")) for i in range(2) for part in "qkv"]
    x = torch.ones(3)
    for layer in layers:
        x = layer(x)
    return [x]


# action 1, limit-by-enumeration 1: fewer compiles


class Layer(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.is_value = name.endswith("v")

    def forward(self, x):
        if self.is_value:
            x = x * 2
        return x + 1
