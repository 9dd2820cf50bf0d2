"""A learning rate that decays is an argument of the compiled update."""

import torch

torch.manual_seed(0)
weight = torch.randn(6, 6)


@torch.compile
def update(weight, gradient, rate):
    return weight - rate * gradient


for number in range(20):
    weight = update(weight, torch.cos(weight), 0.1 * 0.9**number)
print(f"score {weight.norm().item():.5f}")
