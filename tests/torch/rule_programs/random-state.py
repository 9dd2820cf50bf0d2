import torch


def step(x):
    torch.manual_seed(3)
    return x + torch.rand(3)


calls = [[torch.ones(3)]]

# action 3


def run(compile):
    compiled = compile(lambda x: x + torch.rand(3))
    torch.manual_seed(3)
    return [compiled(*arguments) for arguments in calls]
