# for limit-by-parameter-shape: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, weight):
    return x * weight


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(1), torch.nn.Parameter(torch.ones(n))).detach() for n in (8, 5, 7, 6)]


# action 2, limit-by-parameter-shape 1: its code, fewer compiles


# action limit-by-parameter-shape 3
torch._dynamo.config.recompile_limit = 16
