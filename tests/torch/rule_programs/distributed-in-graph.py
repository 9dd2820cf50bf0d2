import torch
import torch.distributed as dist

if not dist.is_initialized():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


def step(x):
    work = dist.all_reduce(x, async_op=True)
    work.wait()
    return x * 2


calls = [[torch.ones(3)]]

# action 5


def step(x):
    dist.all_reduce(x)
    return x * 2


# action 6


def run(compile):
    compiled = compile(lambda x: x * 2)
    results = []
    for (x,) in calls:
        x = x.clone()
        dist.all_reduce(x)
        results.append(compiled(x))
    return results
