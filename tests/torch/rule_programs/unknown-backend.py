import torch

options = {"backend": "mine"}


def step(x):
    return x * 2


calls = [[torch.ones(3)]]

# action 1


def mine(graph, inputs):
    return graph.forward


if "mine" not in torch._dynamo.list_backends(None):
    torch._dynamo.register_backend(mine, name="mine")
