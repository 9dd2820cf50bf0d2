"""Sizes that vary and are constants all the same: attend for a setting, labels because of its code. Compiles 7 graphs each."""
import torch


@torch.compile(backend="eager", dynamic=False)
def attend(q, k):
    return (q @ k.transpose(-1, -2)).softmax(-1)


@torch.compile(backend="eager")
def label(x):
    return x + len(f"{x.shape[0]} rows")


for n in (19, 39, 22, 13, 26, 31, 27):
    attend(torch.ones(4, n, 8), torch.ones(4, n, 8))
    label(torch.ones(n, 3))
