import torch
from torch.export import Dim, export


class Model(torch.nn.Module):
    def forward(self, x):
        return x.view(x.shape[0] // 4, 4, 3).mean(1)


def run(compile):
    t = Dim("t", min=4, max=128)
    program = export(Model(), (torch.ones(16, 3),), dynamic_shapes={"x": {0: t}}, strict=True)
    return [program.module()(torch.ones(8, 3))]


# action 1


def run(compile):
    _t = Dim("_t", max=32)
    t = 4 * _t
    program = export(Model(), (torch.ones(16, 3),), dynamic_shapes={"x": {0: t}}, strict=True)
    return [program.module()(torch.ones(8, 3))]
