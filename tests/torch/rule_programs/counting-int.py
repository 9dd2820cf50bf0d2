# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 0

    def forward(self, x):
        self.step += 1
        return x * self.step


def run(compile):
    compiled = compile(Net())
    return [compiled(torch.ones(3)) for _ in range(5)]


# action 3, limit-by-counter 3


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("step", torch.zeros((), dtype=torch.int64), persistent=False)

    def forward(self, x):
        self.step += 1
        return x * self.step


# action 10, limit-by-counter 10: its code
