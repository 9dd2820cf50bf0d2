import torch


@torch.compile(backend="eager", dynamic=False)
def scale(x, k):
    return x * k + 1


for n in range(2, 13):
    scale(torch.randn(n, 3), 1.0)


@torch.compile(backend="eager", dynamic=False, fullgraph=True)
def strict(x):
    return x.sum() * 2


try:
    for n in range(2, 13):
        strict(torch.randn(n, 3))
except Exception as error:
    print(type(error).__name__)

torch._dynamo.config.accumulated_recompile_limit = 3


class Layer(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width

    def forward(self, x):
        return x * self.width


for width in range(2, 7):
    torch.compile(Layer(width), backend="eager")(torch.randn(4))
