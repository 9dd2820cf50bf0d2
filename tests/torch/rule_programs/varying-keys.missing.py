# for limit-by-keys: torch._dynamo.config.recompile_limit = 1
import torch

X = torch.ones(3)
MASK, BIAS = torch.zeros(3), torch.arange(3.0)
BATCHES = [{}, {"mask": MASK}, {"bias": BIAS}, {"mask": MASK, "bias": BIAS}]


def run(compile):
    compiled = compile(lambda x, batch: x * batch.get("mask", 1) + batch.get("bias", 0))
    return [compiled(X, batch) for batch in BATCHES]


# action 1, limit-by-keys 2


def run(compile):
    compiled = compile(lambda x, batch: x * batch.get("mask", 1) + batch.get("bias", 0))
    neutral = {"mask": torch.ones(3), "bias": torch.zeros(3)}
    return [compiled(X, {**neutral, **batch}) for batch in BATCHES]
