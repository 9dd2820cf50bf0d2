import torch
import torch.distributed as dist

X = torch.ones(4)


def start_group():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)


# program GB0053
from torch.distributed.fsdp import FullyShardedDataParallel

start_group() if not dist.is_initialized() else None


def wrapped(**options):
    torch.manual_seed(0)
    return FullyShardedDataParallel(torch.nn.Linear(4, 4), device_id=torch.device("cpu"), **options)


def run(compile):
    model = wrapped(use_orig_params=False)
    return compile(lambda x: model(x) * 2)(X)


# action 1


def run(compile):
    model = wrapped(use_orig_params=True)
    return compile(lambda x: model(x) * 2)(X)


# program GB0181


def run(compile):
    p = torch.ones(4, requires_grad=True)
    p.grad = torch.ones(4)
    p.data = p.data.double()
    return compile(lambda p: p * 2)(p).detach()


# action 2


def run(compile):
    p = torch.ones(4, requires_grad=True)
    p.data = p.data.double()
    p.grad = torch.ones(4, dtype=torch.double)
    return compile(lambda p: p * 2)(p).detach()


# program GB9860
torch._dynamo.config.enable_p2p_compilation = True
start_group() if not dist.is_initialized() else None


def run(compile):
    op = dist.P2POp(dist.isend, X, 0)

    def step(x):
        op.tensor = x * 2
        return x + 1

    return compile(step)(X)


# action 3


def run(compile):
    def step(x):
        op = dist.P2POp(dist.isend, x * 2, 0)
        return x + len(op.tensor.shape)

    return compile(step)(X)
