# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import torch

torch.manual_seed(0)
PATTERNS = [(True, True, True), (True, False, True), (False, False, True), (False, True, False)]


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x):
        return torch.tanh(self.linear(x))


LAYERS = torch.nn.ModuleList(Layer() for _ in range(3)).requires_grad_(False)


def step(x, keep):
    for use, layer in zip(keep, LAYERS):
        if use:
            x = layer(x)
    return x


calls = [[torch.ones(2, 3), list(keep)] for keep in PATTERNS]

# action 2, limit-by-value 1: fewer compiles


def run(compile):
    layers = [compile(layer) for layer in LAYERS]
    results = []
    for x, keep in calls:
        for use, layer in zip(keep, layers):
            if use:
                x = layer(x)
        results.append(x)
    return results
