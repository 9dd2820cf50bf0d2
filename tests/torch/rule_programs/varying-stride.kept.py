import torch


class Stream(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.state = {"left": torch.zeros(2, 9)[:, :4]}

    def forward(self, x):
        y = torch.cat([self.state["left"], x], 1)
        self.state["left"] = y[:, -4:]
        return y.sum(1)


def run(compile):
    stream = Stream()
    compiled = compile(stream)
    results = []
    for n in (5, 5, 6, 5):
        stream.state["left"] = torch.zeros(2, 4 + n)[:, :4]
        results.append(compiled(torch.ones(2, 3)))
    return results


# action 1


def run(compile):
    stream = Stream()
    compiled = compile(stream)
    results = []
    for n in (5, 5, 6, 5):
        stream.state["left"] = torch.zeros(2, 4)
        results.append(compiled(torch.ones(2, 3)))
    return results
