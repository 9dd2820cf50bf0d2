"""Equal layers that differ in an integer attribute share one code object."""

import torch


class Layer(torch.nn.Module):
    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.tanh(self.linear(x)) / (self.number + 1)


torch.manual_seed(0)
layers = [Layer(number) for number in range(12)]
for layer in layers:
    layer.compile()
for _ in range(3):
    x = torch.ones(2, 8)
    for layer in layers:
        x = layer(x)
print(f"score {x.sum().item():.6f}")
