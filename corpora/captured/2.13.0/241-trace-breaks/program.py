import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x)
        print("hi")
        if x.sum() > 0:
            x = x + 1
        n = x.max().item()
        return self.tail(x) * n

    def tail(self, x):
        for i in range(3):
            if i == 1:
                torch._dynamo.graph_break()
            x = x + i
        return x


torch.manual_seed(0)
net = torch.compile(Net(), backend="eager")
for b in (2, 3, 5):
    net(torch.randn(b, 4))


@torch.compile(backend="eager")
def quiet(x):
    with torch.no_grad():
        for i in range(2):
            print(i)
            x = x + i
    return x


quiet(torch.randn(3))


@torch.compile(backend="eager")
def empty(x):
    print("nothing")
    return 3


empty(torch.randn(3))
