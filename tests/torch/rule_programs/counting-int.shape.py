# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


def step(x, count):
    return torch.ones(count).sum() + x


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), count) for count in range(1, 6)]


# action 5, limit-by-counter 5: fewer compiles


def run(compile):
    def step(x, count, size):
        return (torch.arange(size) < count).sum() + x

    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), torch.tensor(count), 4 if count <= 4 else 8) for count in range(1, 6)]
