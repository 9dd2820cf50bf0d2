import torch


class Model(torch.nn.Module):
    def forward(self, x):
        torch._check(x.shape[0] <= 50)
        return x * 2


def run(compile):
    example = torch.ones(30, 3)
    sizes = {"x": {0: torch.export.Dim.DYNAMIC(min=100, max=200)}}
    program = torch.export.export(Model(), (example,), dynamic_shapes=sizes, strict=False)
    return [program.module()(torch.ones(40, 3))]


# action 2


def run(compile):
    example = torch.ones(30, 3)
    sizes = {"x": {0: torch.export.Dim.AUTO}}
    program = torch.export.export(Model(), (example,), dynamic_shapes=sizes, strict=False)
    return [program.module()(torch.ones(40, 3))]
