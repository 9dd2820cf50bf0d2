import torch

torch._dynamo.config.recompile_limit = 2


def step(params, grads):
    return [p - 0.1 * g for p, g in zip(params, grads)]


def run(compile):
    compiled = compile(step, dynamic=False)
    return [compiled([torch.ones(n)], [torch.ones(n)]) for n in (8, 5, 7, 12, 6)]


# action 8
torch._dynamo.config.recompile_limit = 32
