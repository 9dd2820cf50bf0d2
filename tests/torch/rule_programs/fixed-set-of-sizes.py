# for limit-by-fixed-sizes: torch._dynamo.config.recompile_limit = 3
import torch


class Block(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * self.weight


WIDTHS = (16, 32, 64, 128, 256)


def run(compile):
    results = []
    for width in WIDTHS * 2:
        results.append(compile(Block(width))(torch.ones(2, width)).detach().sum())
    return results


# action 1, limit-by-fixed-sizes 1


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block(width) for width in WIDTHS * 2)

    def forward(self, xs):
        return [block(x).sum() for block, x in zip(self.blocks, xs, strict=True)]


def run(compile):
    return [result.detach() for result in compile(Model())([torch.ones(2, width) for width in WIDTHS * 2])]


# action limit-by-fixed-sizes 2
torch._dynamo.config.recompile_limit = 16
