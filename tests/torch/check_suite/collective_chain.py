"""A collective is started and waited for in one expression.

Breaks under torch 2.13: 2 (GB0156, GB0172).
"""

import torch
import torch.distributed as dist
from torch import nn


class Reducing(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x * 2
        dist.all_reduce(y, async_op=True).wait()
        return y + 1


def build() -> nn.Module:
    if not dist.is_initialized():
        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    return Reducing()


def inputs(seed: int) -> list[tuple]:
    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
