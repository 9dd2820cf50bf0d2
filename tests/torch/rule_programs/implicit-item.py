import torch


def step(x, y):
    if torch.equal(x, y):
        return x * 2
    return x + y


calls = [[torch.ones(3), torch.ones(3)], [torch.ones(3), torch.zeros(3)]]

# action 8


def step(x, y):
    return torch.where((x == y).all(), x * 2, x + y)


# action 10


def run(compile):
    def combined(x, y, is_equal):
        return x * 2 if is_equal else x + y

    compiled = compile(combined)
    return [compiled(x, y, torch.equal(x, y)) for x, y in calls]
