# for limit-by-tensor-kind: torch._dynamo.config.recompile_limit = 1
import torch


def run(compile):
    compiled = compile(lambda x: x * 2)
    compiled(torch.ones(3, device="meta"))
    return [compiled(torch.ones(3))]


# action 2, limit-by-tensor-kind 11


def run(compile):
    compiled = compile(lambda x: x * 2)
    compiled(torch.empty_like(torch.ones(3, device="meta"), device="cpu"))
    return [compiled(torch.ones(3))]
