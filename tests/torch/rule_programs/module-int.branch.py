import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.mode = 0

    def forward(self, x):
        return x.sin() if self.mode % 2 else x.cos()


def run(compile):
    model = Model()
    compiled = compile(model)
    results = []
    for model.mode in (3, 9, 6, 12):
        results.append(compiled(torch.ones(3)))
    return results


# action 4


def run(compile):
    compiled = compile(lambda x, is_odd: x.sin() if is_odd else x.cos())
    return [compiled(torch.ones(3), mode % 2 == 1) for mode in (3, 9, 6, 12)]
