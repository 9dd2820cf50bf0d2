import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.width = 0

    def forward(self, x):
        return torch.ones(self.width).sum() + x


def run(compile):
    model = Model()
    compiled = compile(model)
    results = []
    for model.width in (3, 9, 5, 12):
        results.append(compiled(torch.ones(3)))
    return results


# action 4: fewer compiles


def run(compile):
    def step(x, width, size):
        return (torch.arange(size) < width).sum() + x

    compiled = compile(step, dynamic=False)
    return [compiled(torch.ones(3), torch.tensor(width), 8 if width <= 8 else 16) for width in (3, 9, 5, 12)]
