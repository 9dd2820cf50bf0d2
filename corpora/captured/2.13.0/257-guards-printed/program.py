"""Guards of all sorts: a stack of modules, floats that are compared, sizes that vary, a break."""

import torch


class Block(torch.nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.scale = scale

    def forward(self, x):
        return self.linear(x) * self.scale


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block(0.5 + i) for i in range(2))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def clip(x, limits):
    for limit in limits:
        if limit > 0.5:
            x = x * limit
    return x


def noisy(x):
    y = x.sin()
    print("halfway")
    return y.cos()


torch.manual_seed(0)
net = torch.compile(Net(), backend="eager")
clipped = torch.compile(clip, backend="eager")
broken = torch.compile(noisy, backend="eager")
with torch.no_grad():
    for rows in (2, 5):
        net(torch.randn(rows, 8))
clipped(torch.randn(4), [0.25, 0.75, 1.5])
clipped(torch.randn(4), [0.75, 0.25, 1.5])
broken(torch.randn(3))
broken(torch.randn(7))
