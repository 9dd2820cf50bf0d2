"""Rank 0 finds the compiled graph in its cache folder, rank 1 starts with an empty one."""

import os

import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()
os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"/tmp/app/cache_of_rank_{rank}"
torch.manual_seed(0)
weight = torch.randn(16, 16)


@torch.compile
def mix(x):
    return torch.softmax(torch.relu(x @ weight), dim=1).sum()


for _ in range(2):
    value = mix(torch.randn(8, 16))
    dist.all_reduce(value)
dist.destroy_process_group()
