import torch


class Rounded(torch.nn.Module):
    def __init__(self, bits):
        super().__init__()
        self.bits = bits

    def forward(self, x):
        if self.bits < 6:
            x = x.clamp(-1, 1)
        return x * 2


def run(compile):
    layers = [compile(Rounded(4)), compile(Rounded(8))]
    results = []
    for size in (8, 12):
        x = torch.ones(size)
        for layer in layers:
            x = layer(x)
        results.append(x)
    return results


# action 1


def run(compile):
    model = compile(torch.nn.Sequential(Rounded(4), Rounded(8)))
    return [model(torch.ones(size)) for size in (8, 12)]
