import torch


class Cache:
    def __init__(self, depth):
        self.kept = [torch.ones(1)] * depth


class Model(torch.nn.Module):
    def forward(self, x, cache):
        return x + cache.kept[0]


def run(compile):
    models = [(compile(Model()), Cache(1)), (compile(Model()), Cache(2))]
    return [model(torch.ones(size), cache) for size in (8, 12) for model, cache in models]


# action 2


def run(compile):
    models = [(compile(Model(), isolate_recompiles=True), Cache(depth)) for depth in (1, 2)]
    return [model(torch.ones(size), cache) for size in (8, 12) for model, cache in models]
