"""A training loop that logs a loss inside of the compiled step, every fifth step."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Tanh(), torch.nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


@torch.compile
def training_step(inputs, labels, log):
    loss = torch.nn.functional.cross_entropy(model(inputs), labels)
    if log:
        print(f"loss {loss.item():.4f}")
    return loss


for number in range(20):
    length = 4 + number % 3
    inputs = torch.randn(length, 8)
    labels = torch.arange(length) % 4
    loss = training_step(inputs, labels, number % 5 == 0)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
