# for limit-by-growing-list: torch._dynamo.config.recompile_limit = 5
import torch


class Chain:
    def __init__(self):
        self.samples = []

    def update(self, x):
        x = x * 2
        self.samples.append(x)
        return x


def run(compile):
    chain = Chain()
    update = compile(chain.update)
    return [update(torch.ones(3) * i) for i in range(8)]


# action 4, limit-by-growing-list 4


class Chain:
    def __init__(self):
        self.samples = []

    def update(self, x):
        return x * 2


def run(compile):
    chain = Chain()
    update = compile(chain.update)
    results = []
    for i in range(8):
        results.append(update(torch.ones(3) * i))
        chain.samples.append(results[-1])
    return results
