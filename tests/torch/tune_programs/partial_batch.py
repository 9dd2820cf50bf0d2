"""Images in batches of 8; the last batch of each epoch has 3."""

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(
    torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(),
    torch.nn.Linear(4, 5),
)  # fmt: skip
compiled = torch.compile(model)
images, labels = torch.randn(35, 3, 12, 12), torch.arange(35) % 5
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for epoch in range(3):
    for batch, target in zip(images.split(8), labels.split(8)):
        loss = torch.nn.functional.cross_entropy(compiled(batch), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"epoch {epoch}: loss {loss.item():.5f}")
