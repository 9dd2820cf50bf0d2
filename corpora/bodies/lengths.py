"""A length that is a constant in every graph, and a batch that becomes a symbol later than the length."""
import torch


@torch.compile(backend="eager")
def step(x, mask):
    for _ in range(x.shape[1]):
        x = x + mask
    return x


for batch, length in ((4, 3), (4, 5), (2, 5), (8, 3)):
    step(torch.ones(batch, length), torch.ones(batch, length))
