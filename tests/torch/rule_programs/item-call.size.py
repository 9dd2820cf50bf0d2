# for value-from-break: torch._dynamo.config.recompile_limit = 8
import torch


def step(x, group):
    n = int(group.max()) + 1
    return x.new_zeros(n).index_add(0, group, x)


calls = [[torch.ones(6), torch.tensor([0, 1, 2, 3, i, i])] for i in (4, 5, 6)]

# action 3, value-from-break 1: its code
# action 4, value-from-break 2


def run(compile):
    def summed(x, group, n):
        return x.new_zeros(n).index_add(0, group, x)

    compiled = compile(summed)
    return [compiled(x, group, int(group.max()) + 1) for x, group in calls]
