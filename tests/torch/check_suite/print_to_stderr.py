"""Shapes are printed to stderr, over several lines, in code that is indented by tabs.

Breaks under torch 2.13: 1 (GB0059).
"""

import sys

import torch
from torch import nn


class Printing(nn.Module):
	def forward(self, x: torch.Tensor) -> torch.Tensor:
		y = x * 2
		if x.shape[0] > 2:
			print(
				"batch of",
				x.shape[0],  # rows
				file=sys.stderr,
			)
		return torch.tanh(y)


def build() -> nn.Module:
	return Printing()


def inputs(seed: int) -> list[tuple]:
	generator = torch.Generator().manual_seed(seed)
	return [(torch.randn(3, 8, generator=generator),), (torch.randn(2, 8, generator=generator),)]
