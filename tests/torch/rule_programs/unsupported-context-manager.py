import tempfile

import torch


def step(x):
    with tempfile.TemporaryFile():
        h = x * 2
    return h + 1


calls = [[torch.ones(3)]]

# action 1


def run(compile):
    compiled = compile(lambda x: x * 2 + 1)
    results = []
    for arguments in calls:
        with tempfile.TemporaryFile():
            results.append(compiled(*arguments))
    return results
