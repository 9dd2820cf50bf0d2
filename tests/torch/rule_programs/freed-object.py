# for limit-by-freed-object: torch._dynamo.config.recompile_limit = 2
import torch


def make(value):
    return type("Scale", (), {"value": value})


def run(compile):
    import gc

    compiled = compile(lambda x, scale: x * scale.value)
    results = []
    for _ in range(4):
        results.append(compiled(torch.ones(3), make(2)))
        gc.collect()
    return results


# action 1, limit-by-freed-object 1


def run(compile):
    compiled = compile(lambda x, scale: x * scale.value)
    scale = make(2)
    return [compiled(torch.ones(3), scale) for _ in range(4)]
