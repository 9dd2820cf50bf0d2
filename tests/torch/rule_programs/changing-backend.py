# for limit-by-object: torch._dynamo.config.recompile_limit = 2
import torch


def step(x):
    return x * 2


def run(compile):
    return [compile(step, backend=lambda graph, _: graph.forward)(torch.ones(3)) for _ in range(3)]


# action 1, limit-by-object 1


def run(compile):
    compiled = compile(step, backend=lambda graph, _: graph.forward)
    return [compiled(torch.ones(3)) for _ in range(3)]
