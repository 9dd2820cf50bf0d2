import torch

torch._dynamo.config.recompile_limit = 2

WIDTHS = (5, 4, 6)


class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        torch.manual_seed(0)
        self.linear = torch.nn.Linear(3, width)

    def forward(self, x):
        return torch.tanh(self.linear(x))


def run(compile):
    return [compile(Model(width))(torch.ones(2, 3)).detach() for width in WIDTHS]


# action 5


def run(compile):
    results = []
    for width in WIDTHS:
        torch.compiler.reset()
        results.append(compile(Model(width))(torch.ones(2, 3)).detach())
    return results
