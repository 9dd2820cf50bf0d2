import torch

torch._dynamo.config.recompile_limit = 1


class Layer(torch.nn.Module):
    def __init__(self, names):
        super().__init__()
        for name in names:
            self.register_buffer(name, torch.ones(3))

    def forward(self, x):
        return x + self.b if "b" in self._buffers else x * 2


def run(compile):
    layers = [Layer(["a"]), Layer(["a", "b"])]
    x = torch.ones(3)
    for layer in layers:
        x = compile(layer)(x)
    return [x]


# action 1


def run(compile):
    model = torch.nn.Sequential(Layer(["a"]), Layer(["a", "b"]))
    return [compile(model)(torch.ones(3))]
