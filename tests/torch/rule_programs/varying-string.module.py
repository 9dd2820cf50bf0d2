# for limit-by-value: torch._dynamo.config.recompile_limit = 2
import torch

WIDTHS = {"topic": 4, "stance": 3, "spam": 2}


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.encoder = torch.nn.Linear(3, 3)
        self.heads = torch.nn.ModuleDict({task: torch.nn.Linear(3, n) for task, n in WIDTHS.items()})

    def forward(self, x, task):
        return self.heads[task](torch.tanh(self.encoder(x)))


def train(model):
    return [model(torch.ones(2, 3), task).detach() for task in WIDTHS]


def run(compile):
    return train(compile(Model()))


# action 1, limit-by-value 16


def run(compile):
    model = Model()
    model.encoder = compile(model.encoder)
    return train(model)
