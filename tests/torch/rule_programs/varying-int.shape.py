# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, width):
    return torch.ones(width).sum() + x


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), width) for width in (3, 9, 5, 12)]


# action 7, limit-by-value 13: fewer compiles


def run(compile):
    def step(x, width, size):
        return (torch.arange(size) < width).sum() + x

    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), torch.tensor(width), 8 if width <= 8 else 16) for width in (3, 9, 5, 12)]


# action limit-by-value 26
torch._dynamo.config.recompile_limit = 16
