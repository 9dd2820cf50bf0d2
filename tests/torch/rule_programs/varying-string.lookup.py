# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import torch

scales = {"low": torch.full((3,), 0.5), "mid": torch.ones(3), "high": torch.full((3,), 2.0)}


def step(x, scales, level):
    scale = scales[level]
    return x * scale


calls = [[torch.ones(3), scales, level] for level in ("low", "mid", "low", "high")]

# action 2, limit-by-value 17


def run(compile):
    compiled = compile(lambda x, scale: x * scale)
    return [compiled(x, scales[level]) for x, scales, level in calls]
