import torch


class Loss(torch.nn.Module):
    def forward(self, x):
        smoothing = 0.1 * (1 - self.progress)
        return torch.nn.functional.cross_entropy(x, x.argmax(-1), label_smoothing=smoothing) * self.progress


loss = Loss()
progress = [i / 25 for i in range(5)]


def run(compile):
    compiled = compile(lambda x: loss(x))
    results = []
    for loss.progress in progress:
        results.append(compiled(torch.ones(2, 3)))
    return results


# action 1
progress = [torch.tensor(i / 25) for i in range(5)]
