import torch

torch._dynamo.config.specialize_float = True


def step(x, ratio):
    return x.repeat(int(ratio))[:12] + x


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(12), ratio) for ratio in (2.0, 4.0, 3.0, 6.0)]


# action 3: fewer compiles


def run(compile):
    compiled = compile(step)
    return [compiled(torch.ones(12), 2.0 if ratio < 4 else 4.0) for ratio in (2.0, 4.0, 3.0, 6.0)]
