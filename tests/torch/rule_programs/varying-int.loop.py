import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.cell = torch.nn.Linear(3, 3)

    def forward(self, x, passes):
        for _ in range(passes):
            x = self.cell(x)
        return x


def run(compile):
    refine = compile(Net())
    return [refine(torch.ones(2, 3), passes).detach() for passes in (2, 5, 3)]


# action 9, limit-by-value 21


def run(compile):
    net = Net()
    net.cell = compile(net.cell)
    return [net(torch.ones(2, 3), passes).detach() for passes in (2, 5, 3)]
