# for limit-by-tensor-kind: torch._dynamo.config.recompile_limit = 3
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x):
        return x + torch.tanh(self.linear(x))


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = torch.nn.ModuleList(Block() for _ in range(5))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


def train(model):
    results = []
    for first in reversed(range(5)):
        for i, block in enumerate(model.blocks):
            block.requires_grad_(i >= first)
        results.append(model(torch.ones(2, 3)).detach())
    return results


def run(compile):
    compiled = compile(model := Model())
    compiled.blocks = model.blocks
    return train(compiled)


# action 2: fewer compiles


def run(compile):
    model = Model()
    model.blocks = torch.nn.ModuleList(compile(block) for block in model.blocks)
    return train(model)


# action limit-by-tensor-kind 6


def run(compile):
    model = Model()
    model.blocks = torch.nn.ModuleList(compile(block) for block in model.blocks)
    return train(model)
