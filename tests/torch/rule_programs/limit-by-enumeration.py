import torch

torch._dynamo.config.recompile_limit = 3
SCALES = {f"blocks.{i}.attn": i + 2 for i in range(5)}


class Layer(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind = kind

    def forward(self, x):
        return x * SCALES[self.kind]


def run(compile):
    layers = [compile(Layer(kind)) for kind in SCALES]
    x = torch.ones(3)
    for layer in layers:
        x = layer(x)
    return [x]


# action 9


class Layer(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.scale = torch.tensor(SCALES[kind])

    def forward(self, x):
        return x * self.scale
