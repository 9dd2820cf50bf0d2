# for limit-by-counter: torch._dynamo.config.recompile_limit = 3
import torch


class Scaler:
    good = 0


scaler = Scaler()
torch.manual_seed(0)
layer = torch.nn.Linear(3, 1)


def step(x):
    loss = layer(x).sum()
    loss.backward()
    scaler.good += 1
    return loss.detach() * scaler.good


def run(compile):
    layer.zero_grad()
    scaler.good = 0
    compiled = compile(step)
    return [compiled(torch.ones(2, 3)) for _ in range(6)]


# action limit-by-counter 1


def run(compile):
    layer.zero_grad()
    compiled = compile(lambda x: layer(x).sum())
    results = []
    for good in range(1, 7):
        loss = compiled(torch.ones(2, 3))
        loss.backward()
        results.append(loss.detach() * good)
    return results
