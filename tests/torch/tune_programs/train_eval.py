"""Training and evaluation take turns, with batches of different sizes."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.0), torch.nn.Linear(8, 1))
compiled = torch.compile(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for epoch in range(4):
    compiled.train()
    for size in (8, 8, 5):
        loss = compiled(torch.ones(size, 8)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    compiled.eval()
    with torch.no_grad():
        for size in (16, 7):
            loss = compiled(torch.ones(size, 8)).square().mean()
    print(f"epoch {epoch}: loss {loss.item():.6f}")
