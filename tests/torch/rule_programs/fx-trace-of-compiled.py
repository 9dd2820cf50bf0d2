import torch


class Outer(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x):
        return self.inner(x) + 1


def run(compile):
    inner = compile(lambda x: x * 2)
    return torch.fx.symbolic_trace(Outer(inner))(torch.ones(3))


# action 1


def run(compile):
    traced = torch.fx.symbolic_trace(Outer(lambda x: x * 2))
    return compile(traced)(torch.ones(3))
