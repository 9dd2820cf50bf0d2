import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))

    def forward(self, x):
        scaled = torch.nn.Parameter(self.weight * 2)
        return x * scaled


def run(compile):
    compiled = compile(Net())
    return [compiled(torch.ones(3)).detach()]


# action 1


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.scaled = torch.nn.Parameter(self.weight * 2)

    def forward(self, x):
        return x * self.scaled
