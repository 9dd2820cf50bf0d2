# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.items = 0

    def forward(self, x):
        self.calls += 1; self.items += len(x) * self.calls  # noqa: E702
        return x * self.calls + self.items


def run(compile):
    compiled = compile(Net())
    return [compiled(torch.ones(3)) for _ in range(5)]


# action 2, limit-by-counter 2: its code
