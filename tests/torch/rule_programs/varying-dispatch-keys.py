# for limit-by-tensor-kind: torch._dynamo.config.recompile_limit = 1
import torch


def run(compile):
    compiled = compile(lambda x: x * 2)
    with torch.inference_mode():
        x = torch.ones(3)
    return [compiled(x), compiled(torch.ones(3))]


# action 5, limit-by-tensor-kind 14


def run(compile):
    compiled = compile(lambda x: x * 2)
    with torch.no_grad():
        x = torch.ones(3)
    return [compiled(x), compiled(torch.ones(3))]
