import torch

torch._dynamo.config.recompile_limit = 4

NUMBERS = (5, 4, 6)


class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        torch.manual_seed(0)
        self.embed = torch.nn.Embedding(n, 3)

    def forward(self, x):
        return torch.tanh(self.embed(x))


def fold(compile, n):
    model = compile(Model(n))
    x = torch.tensor([0, 1, 2])
    trained = model(x).detach()
    with torch.no_grad():
        return trained + model(x)


def run(compile):
    return [fold(compile, n) for n in NUMBERS]


# action 2


def run(compile):
    results = []
    for n in NUMBERS:
        torch.compiler.reset()
        results.append(fold(compile, n))
    return results
