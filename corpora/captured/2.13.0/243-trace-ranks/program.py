import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank = dist.get_rank()


@torch.compile(backend="eager")
def f(x):
    return x * 2


for b in (4, 5 + rank, 6):
    f(torch.randn(b, 3))
if rank == 1:
    f(torch.randn(3, 2, 2))
dist.destroy_process_group()
