# for limit-by-keys: torch._dynamo.config.recompile_limit = 2
import types

import torch

X = torch.arange(4.0) - 2
JOBS = [
    types.SimpleNamespace(flags=flags)
    for flags in [{}, {"double": True}, {"shift": False}, {"double": True, "shift": False}]
]


def step(x, job):
    x = x.relu()
    if job.flags.get("double"):
        x = x * 2
    if job.flags.get("shift", True):
        x = x + 1
    return x


def run(compile):
    compiled = compile(step)
    return [compiled(X, job) for job in JOBS]


# action 5, limit-by-keys 6


def step(x, flags):
    x = x.relu()
    x = torch.where(flags["double"], x * 2, x)
    return torch.where(flags["shift"], x + 1, x)


def run(compile):
    compiled = compile(step)
    results = []
    for job in JOBS:
        flags = {"double": False, "shift": True, **job.flags}
        flags = {key: torch.tensor(value) for key, value in flags.items()}
        results.append(compiled(X, flags))
    return results
