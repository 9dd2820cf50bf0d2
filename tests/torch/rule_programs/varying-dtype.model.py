# for limit-by-tensor-kind: torch._dynamo.config.recompile_limit = 1
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        return x * self.scale


def run(compile):
    model = Model()
    compiled = compile(model)
    results = [compiled(torch.ones(3)).double()]
    model.double()
    return [*results, compiled(torch.ones(3))]


# action 5, limit-by-tensor-kind 16


def run(compile):
    model = Model().double()
    compiled = compile(model)
    return [compiled(torch.ones(3)).double(), compiled(torch.ones(3))]
