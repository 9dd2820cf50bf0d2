# for limit-by-keys: torch._dynamo.config.recompile_limit = 1
import torch

X, MASK = torch.ones(3), torch.arange(3.0)
BATCHES = [{}, {"mask": MASK}, {"debug": True}, {"mask": MASK, "debug": True}]


def step(x, batch):
    x = x * 2
    if batch.get("mask") is not None:
        x = torch.cat([x, batch["mask"]])
    if batch.get("debug"):
        x = x + 0
    return x


def run(compile):
    compiled = compile(step)
    return [compiled(X, batch) for batch in BATCHES]


# action limit-by-keys 3


def with_mask(x, batch):
    return torch.cat([x * 2, batch["mask"]])


def without_mask(x, batch):
    return x * 2


def run(compile):
    masked, plain = compile(with_mask), compile(without_mask)
    results = []
    for batch in BATCHES:
        batch = {key: value for key, value in batch.items() if key != "debug"}
        results.append(masked(X, batch) if "mask" in batch else plain(X, batch))
    return results


# action 3: fewer compiles


def step(x, batch):
    x = x * 2
    if batch.get("mask") is not None:
        x = torch.cat([x, batch["mask"]])
    return x


def run(compile):
    compiled = compile(step)
    results = []
    for batch in BATCHES:
        batch = {key: value for key, value in batch.items() if key != "debug"}
        results.append(compiled(X, batch))
    return results
