import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)
        self.step = 0

    def forward(self, x):
        self.step += 1
        warmup = min(1.0, self.step / 1000)
        return self.layer(x) * warmup


net = torch.compile(Net(), backend="eager")
for _ in range(12):
    net(torch.randn(8, 64)).sum().backward()
