import torch

torch._dynamo.config.capture_scalar_outputs = True
options = {"fullgraph": True}
X = torch.ones(3)

# program branch


def step(x):
    n = x.sum().item()
    if n > 2:
        return x * 2
    return x


calls = [[X]]

# action 3


def step(x):
    return torch.where(x.sum() > 2, x * 2, x)
