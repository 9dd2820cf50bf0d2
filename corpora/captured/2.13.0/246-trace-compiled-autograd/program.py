import torch
from torch import nn

torch._dynamo.config.compiled_autograd = True
net = nn.Linear(4, 4)


@torch.compile(backend="aot_eager")
def train(x):
    net(x).sum().backward()


for b in (3, 6, 7):
    train(torch.randn(b, 4))
