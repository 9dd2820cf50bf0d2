import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.noise = 0.5

    def forward(self, x):
        if self.noise > 0:
            x = x + self.noise * x.sin()
        return x * 2


def train(compile, net, values):
    compiled = compile(net)
    results = []
    for value in values:
        net.noise = value
        results.append(compiled(torch.ones(3)))
    return results


def run(compile):
    return train(compile, Net(), (0.5, 0.25))


# action 7


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.noise = torch.tensor(0.5)

    def forward(self, x):
        x = x + self.noise * x.sin()
        return x * 2


def run(compile):
    return train(compile, Net(), (torch.tensor(0.5), torch.tensor(0.25)))
