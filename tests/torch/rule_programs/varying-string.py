# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import torch


def step(x, mode):
    return x.sum() if mode == "sum" else x.mean()


calls = [[torch.ones(3), mode] for mode in ("sum", "mean", "sum", "max")]

# action 4


def run(compile):
    pool = {"sum": compile(lambda x: x.sum()), "mean": compile(lambda x: x.mean()), "max": compile(lambda x: x.mean())}
    return [pool[mode](x) for x, mode in calls]


# action 3, limit-by-value 18


def run(compile):
    compiled = compile(lambda x, is_total: x.sum() if is_total else x.mean())
    return [compiled(x, mode == "sum") for x, mode in calls]


# action limit-by-value 28
torch._dynamo.config.recompile_limit = 16
