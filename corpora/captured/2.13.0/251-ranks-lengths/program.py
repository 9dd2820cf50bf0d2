"""From step 2 on rank 1 gets another length, and compiles again while rank 0 waits for it."""

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
weight = torch.randn(16, 16)


@torch.compile(backend="aot_eager")
def encode(x):
    return torch.relu(x @ weight)


@torch.compile(backend="aot_eager")
def score(y):
    return (y * y).mean()


@torch.compile(backend="aot_eager")
def evaluate(y):
    return y.amax(dim=1).sum()


def step(length):
    x = torch.randn(length, 16)
    value = score(encode(x))
    dist.all_reduce(value)  # every rank waits here for the slowest
    return x


for lengths in ((12, 12), (12, 7), (12, 9)):
    x = step(lengths[rank])
value = evaluate(x)
dist.all_reduce(value)
step((10, 10)[rank])
dist.destroy_process_group()
