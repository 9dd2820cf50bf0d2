# for limit-by-length: torch._dynamo.config.recompile_limit = 2
import torch

NAMES = ("a", "b", "c", "d")
LENGTHS = (3, 1, 4, 2)


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.tables = torch.nn.ModuleDict({name: torch.nn.Linear(3, 3) for name in NAMES})
        self.used = []
        self.switches = torch.zeros(len(NAMES))

    def forward(self, x):
        total = 0
        for name in self.used:
            total = total + self.tables[name](x)
        return total


class Switched(Encoder):
    def forward(self, x):
        total = 0
        for i, name in enumerate(NAMES):
            total = total + self.switches[i] * self.tables[name](x)
        return total


def results_of(model, compile):
    torch.manual_seed(0)
    for parameter in model.parameters():
        torch.nn.init.constant_(parameter, 0.5)
    compiled = compile(model)
    results = []
    for n in LENGTHS:
        model.used = list(NAMES[:n])
        model.switches = (torch.arange(len(NAMES)) < n).float()
        results.append(compiled(torch.ones(3)))
    return results


def run(compile):
    return results_of(Encoder(), compile)


# action 3, limit-by-length 3


def run(compile):
    return results_of(Switched(), compile)
