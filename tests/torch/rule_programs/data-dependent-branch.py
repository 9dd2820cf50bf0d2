import torch


def step(x):
    if x.sum() > 0:
        return x.sin() + 1
    return x.cos() + 1


calls = [[torch.ones(3)], [-torch.ones(3)]]

# action 7


def step(x):
    return torch.where(x.sum() > 0, x.sin(), x.cos()) + 1


# action 8


def step(x):
    return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,)) + 1


# action 9


def run(compile):
    def scaled(x, is_positive):
        return (x.sin() if is_positive else x.cos()) + 1

    compiled = compile(scaled)
    return [compiled(x, bool(x.sum() > 0)) for (x,) in calls]
