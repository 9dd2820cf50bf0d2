# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import torch

torch._dynamo.config.specialize_float = True


def step(x, scale):
    return x * scale


calls = [[torch.ones(3), scale] for scale in (0.5, 0.25, 0.75)]

# action 5, limit-by-value 8
calls = [[torch.ones(3), torch.tensor(scale)] for scale in (0.5, 0.25, 0.75)]

# action 6
torch._dynamo.config.specialize_float = False
