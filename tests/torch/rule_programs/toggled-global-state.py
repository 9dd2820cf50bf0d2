# for limit-by-global-state: torch._dynamo.config.recompile_limit = 1
import torch


def step(x):
    return x * 2


def run(compile):
    compiled = compile(step)
    results = []
    for i in range(4):
        torch.use_deterministic_algorithms(i % 2 == 1)
        results.append(compiled(torch.ones(3)))
    torch.use_deterministic_algorithms(False)
    return results


# action 3, limit-by-global-state 3


def run(compile):
    compiled = compile(step)
    torch.use_deterministic_algorithms(False)
    return [compiled(torch.ones(3)) for _ in range(4)]
