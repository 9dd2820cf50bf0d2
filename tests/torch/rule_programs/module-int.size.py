# for limit-by-value: torch._dynamo.config.recompile_limit = 3
import torch


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.position = 2

    def forward(self, x):
        return x + torch.arange(self.position, self.position + 3)


def run(compile):
    model = Cache()
    call = compile(model)
    results = []
    for position in (2, 5, 3, 9):
        model.position = position
        results.append(call(torch.ones(3)))
    return results


# action 1, limit-by-value 2: its code fewer compiles
