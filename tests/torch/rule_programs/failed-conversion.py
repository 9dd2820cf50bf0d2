import torch

torch._dynamo.config.suppress_errors = True


def failing(graph, inputs):
    if any(node.target is torch.sin for node in graph.graph.nodes):
        raise RuntimeError("no kernel for this operator")
    return graph.forward


options = {"backend": failing}


def step(x):
    return torch.sin(x * 2) + 1


calls = [[torch.ones(3)]]

# action 2


@torch.compiler.disable
def sine(x):
    return torch.sin(x)


def step(x):
    return sine(x * 2) + 1
