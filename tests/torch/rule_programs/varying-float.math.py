# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import math

import torch


def step(x, sigma):
    return x * math.log(sigma + 1.0) / math.sqrt(sigma**2 + 0.25)


calls = [[torch.ones(3), sigma] for sigma in (0.5, 0.25, 0.75)]

# action 5, limit-by-value 8


def step(x, sigma):
    return x * torch.log(sigma + 1.0) / torch.sqrt(sigma**2 + 0.25)


calls = [[torch.ones(3), torch.tensor(sigma)] for sigma in (0.5, 0.25, 0.75)]
