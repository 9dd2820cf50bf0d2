"""Rank 1 is killed after the first step; rank 0 goes on without it."""

import os
import signal

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
weight = torch.randn(16, 16)


@torch.compile(backend="eager")
def encode(x):
    return torch.relu(x @ weight)


@torch.compile(backend="eager")
def score(y):
    return (y * y).mean()


@torch.compile(backend="eager")
def evaluate(y):
    return y.amax(dim=1).sum()


dist.barrier()
y = encode(torch.randn(8, 16))
score(y)
if rank == 1:
    os.kill(os.getpid(), signal.SIGKILL)
evaluate(y)
encode(torch.randn(5, 16))
