"""A helper of the project prints; the file has CRLF line ends.

Breaks under torch 2.13: 3 (GB0059).
"""

from torch import Tensor, nn


def show(name: str, value: Tensor) -> Tensor:
    print(name, value.shape, value.dtype)
    return value


class Printing(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        y = show("doubled", x * 2)
        return show("shifted", y + 1)


def build() -> nn.Module:
    return Printing()


def inputs(seed: int) -> list[tuple]:
    import torch

    generator = torch.Generator().manual_seed(seed)
    return [(torch.randn(3, 8, generator=generator),)]
