import torch


def step(x):
    if hasattr(x.__class__.__init__, "scale"):
        return x
    return x * 2


calls = [[torch.ones(3)]]

# action 15


HAS_SCALE = hasattr(torch.Tensor.__init__, "scale")


def step(x):
    if HAS_SCALE:
        return x
    return x * 2


# action 16


@torch.compiler.disable
def has_scale(x):
    return hasattr(x.__class__.__init__, "scale")


def step(x):
    if has_scale(x):
        return x
    return x * 2
