import torch


class History:
    def __init__(self):
        self.items = []

    def __call__(self, x):
        self.items.append(x.sum().item())
        return x * 2


def run(compile):
    history = History()
    compiled = compile(lambda x: history(x) + 1)
    results = []
    for i in range(5):
        history.items = []
        results.append(compiled(torch.full((3,), float(i))))
    return results


# action 2


class History:
    def __init__(self):
        self.items = []

    def __call__(self, x):
        return x * 2
