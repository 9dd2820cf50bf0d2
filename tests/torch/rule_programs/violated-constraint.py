import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return x + y


def run(compile):
    arguments = (torch.ones(4, 3), torch.ones(4, 3))
    sizes = {"x": {0: torch.export.Dim("n")}, "y": {0: torch.export.Dim("m")}}
    return [torch.export.export(Model(), arguments, dynamic_shapes=sizes).module()(*arguments)]


# action 1


def run(compile):
    arguments = (torch.ones(4, 3), torch.ones(4, 3))
    sizes = {"x": {0: torch.export.Dim.AUTO}, "y": {0: torch.export.Dim.AUTO}}
    return [torch.export.export(Model(), arguments, dynamic_shapes=sizes).module()(*arguments)]
