import torch

torch._dynamo.config.recompile_limit = 2

DEPTHS = (1, 2, 3)


class Model(torch.nn.Module):
    def __init__(self, depth):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(depth))

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


def run(compile):
    return [compile(Model(depth))(torch.ones(2, 3)).detach() for depth in DEPTHS]


# action 9


def run(compile):
    results = []
    for depth in DEPTHS:
        torch.compiler.reset()
        results.append(compile(Model(depth))(torch.ones(2, 3)).detach())
    return results
