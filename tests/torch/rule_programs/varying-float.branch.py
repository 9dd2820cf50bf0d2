import torch

torch._dynamo.config.specialize_float = True


def step(x, scale):
    if scale < 0.6:
        return x * scale
    return x + scale


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), scale) for scale in (0.5, 0.25, 0.75)]


# action 4


def step(x, scale):
    return torch.where(scale < 0.6, x * scale, x + scale)


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(3), torch.tensor(scale)) for scale in (0.5, 0.25, 0.75)]
