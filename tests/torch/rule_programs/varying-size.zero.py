# for limit-by-shape: torch._dynamo.config.recompile_limit = 2
import torch


def step(x):
    return x * 2


def run(compile):
    compiled = compile(step)
    torch._dynamo.config.automatic_dynamic_shapes = False
    return [compiled(torch.ones(n, 3)) for n in (8, 5, 7, 1)]


# action 9, limit-by-shape 10


def run(compile):
    torch._dynamo.config.automatic_dynamic_shapes = False
    compiled = compile(step)
    results = []
    for n in (8, 5, 7, 1):
        x = torch.ones(n, 3)
        if n > 1:
            torch._dynamo.mark_dynamic(x, 0)
        results.append(compiled(x))
    return results


# action 10, limit-by-shape 11


def run(compile):
    torch._dynamo.config.automatic_dynamic_shapes = False
    compiled = compile(step)
    results = []
    for n in (8, 5, 7, 1):
        x = torch.nn.functional.pad(torch.ones(n, 3), (0, 0, 0, 8 - n))
        results.append(compiled(x)[:n])
    return results


# action 11


def run(compile):
    torch._dynamo.config.automatic_dynamic_shapes = False
    compiled = compile(step)
    results = []
    for n in (8, 5, 7, 1):
        x = torch.ones(n, 3)
        torch._dynamo.decorators.mark_unbacked(x, 0)
        results.append(compiled(x))
    return results


# action 12


def run(compile):
    torch._dynamo.config.automatic_dynamic_shapes = False
    torch.compiler.config.dynamic_sources = "L['x']:0"
    compiled = compile(step)
    return [compiled(torch.ones(n, 3)) for n in (8, 5, 7, 1)]
