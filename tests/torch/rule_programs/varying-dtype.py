# for limit-by-tensor-kind: torch._dynamo.config.recompile_limit = 1
import torch


def step(x):
    return x * 2.0


calls = [[torch.ones(3)], [torch.ones(3, dtype=torch.float64)]]

# action 1, limit-by-tensor-kind 1


def run(compile):
    compiled = compile(step)
    return [compiled(x.to(torch.float32)).to(x.dtype) for (x,) in calls]


# action limit-by-tensor-kind 17
torch._dynamo.config.recompile_limit = 16
