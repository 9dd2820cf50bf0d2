import torch
from torch.nn.utils import spectral_norm
from torch.utils.checkpoint import checkpoint

torch.manual_seed(0)
layer = spectral_norm(torch.nn.Linear(3, 3)).eval()


def step(x):
    return checkpoint(layer, x, use_reentrant=False) + 1


calls = [[torch.ones(2, 3)], [torch.zeros(2, 3)]]

# action 1


def step(x):
    return layer(x) + 1
