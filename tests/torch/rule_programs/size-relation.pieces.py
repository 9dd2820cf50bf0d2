# for limit-by-size-relation: torch._dynamo.config.recompile_limit = 3
import torch

SIZES = (80, 184, 128, 256, 390, 512)


def step(x):
    x = torch.nn.functional.pad(x, (0, -x.shape[-1] % 8))
    return torch.stack([part.sum(-1) for part in x.split(64, dim=-1)]).sum(0)


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(2, n)) for n in SIZES]


# action 2, limit-by-size-relation 5: fewer compiles


def run(compile):
    compiled = compile(step)
    return [compiled(torch.nn.functional.pad(torch.ones(2, n), (0, -n % 256))) for n in SIZES]
