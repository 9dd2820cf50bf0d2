import torch

X = torch.ones(3)

# program GB0269
torch._dynamo.config.debug_force_graph_break_on_leaf_return = True


def double(x):
    return x * 2


def step(x):
    return double(x) + 1


calls = [[X]]

# action 3
torch._dynamo.config.debug_force_graph_break_on_leaf_return = False
