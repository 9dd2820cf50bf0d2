"""Tensors that code after a graph break takes: a new one, an argument, an argument under another name."""
import torch


@torch.compile(backend="eager")
def replaced(x):
    x = x.sin()
    print(end="")
    return x * 2


@torch.compile(backend="eager")
def kept(x):
    y = x.sin()
    print(end="")
    return y.sum() + x


@torch.compile(backend="eager")
def renamed(x):
    y = x.sum()
    z = x
    print(end="")
    return y + z


def twice(x):
    x = x * 2
    return x


@torch.compile(backend="eager")
def inlined(x):
    y = twice(x)
    print(end="")
    return y.sum() + x


@torch.compile(backend="eager")
def swapped(x):
    y = torch.ones(2, 3) + x.mean()
    z = y
    y = x
    print(end="")
    return y.sum() + z


@torch.compile(backend="eager")
def exchanged(x, y):
    x, y = y, x
    print(end="")
    return x.sum()


@torch.compile(backend="eager")
def chosen(x):
    z = x if x.shape[1] > 20 else x.sin()
    print(end="")
    return z * 2


for batch, length in ((4, 16), (4, 24), (2, 40)):
    for function in (replaced, kept, renamed, inlined, swapped):
        function(torch.ones(batch, length))
    exchanged(torch.ones(batch, length), torch.ones(batch, length))
    chosen(torch.ones(batch, length))
