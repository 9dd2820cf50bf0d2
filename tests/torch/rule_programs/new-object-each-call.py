# for limit-by-object: torch._dynamo.config.recompile_limit = 2
import torch


def make(value):
    return type("Scale", (), {"value": value})


def run(compile):
    compiled = compile(lambda x, scale: x * scale.value)
    scales = [make(2) for _ in range(4)]
    return [compiled(torch.ones(3), scale) for scale in scales]


# action 2, limit-by-object 4


def run(compile):
    compiled = compile(lambda x, scale: x * scale.value)
    scale = make(2)
    return [compiled(torch.ones(3), scale) for _ in range(4)]


# action limit-by-object 5


def run(compile):
    scales = [make(2) for _ in range(4)]
    steps = [compile(lambda x, scale: x * scale.value, isolate_recompiles=True) for _ in scales]
    return [step(torch.ones(3), scale) for step, scale in zip(steps, scales, strict=True)]
