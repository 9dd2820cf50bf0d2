"""Sizes that code makes constants, pins together, or keeps to multiples."""
import torch


def equal_constant(x):
    if x.shape[0] == 6:
        return x * 2
    return x + 1


def pinned_together(a, b):
    if a.shape[0] <= b.shape[0] and a.shape[0] >= b.shape[0]:
        if a.shape[0] + b.shape[0] == 10:
            return a + 1
    return a - 1


def step(x):
    return torch.relu(x) + 1


def run(function, calls, **options):
    compiled = torch.compile(function, backend="eager", **options)
    for sizes in calls:
        compiled(*[torch.ones(size, 3) for size in sizes])


if __name__ == "__main__":
    run(equal_constant, [(4,), (6,), (5,)])
    run(pinned_together, [(4, 4), (5, 5)])
    run(step, [(4,), (5,), (6,)], dynamic=False)
