import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def run(compile):
    example = torch.ones(1, 3)
    sizes = {"x": {0: torch.export.Dim.DYNAMIC(min=2, max=8)}}
    program = torch.export.export(Model(), (example,), dynamic_shapes=sizes, strict=False)
    return [program.module()(torch.ones(4, 3))]


# action 1


def run(compile):
    example = torch.ones(1, 3)
    example = torch.cat([example, example], dim=0)
    sizes = {"x": {0: torch.export.Dim.DYNAMIC(min=2, max=8)}}
    program = torch.export.export(Model(), (example,), dynamic_shapes=sizes, strict=False)
    return [program.module()(torch.ones(4, 3))]
