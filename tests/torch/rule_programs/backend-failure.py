import torch
from torch._subclasses.fake_tensor import DataDependentOutputException


def backend(graph, inputs):
    for node in graph.graph.nodes:
        if node.target is torch.sin:
            raise DataDependentOutputException(torch.ops.aten.sin.default)
    return graph.forward


options = {"backend": backend}


def step(x):
    return torch.sin(x * 2) + 1


calls = [[torch.ones(3)]]

# action 6


@torch.compiler.disable
def sine(x):
    return torch.sin(x)


def step(x):
    return sine(x * 2) + 1
