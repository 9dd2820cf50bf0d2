import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.blocks = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(3))

    def forward(self, x):
        for block in self.blocks:
            x = block(x).relu()
            if x.max().item() > 1e6:
                break
        return x


def run(compile):
    compiled = compile(Net())
    return [compiled(torch.ones(2, 3)) for _ in range(3)]


# action 7


def run(compile):
    net = Net()
    for block in net.blocks:
        block.forward = compile(block.forward)
    return [net(torch.ones(2, 3)) for _ in range(3)]
