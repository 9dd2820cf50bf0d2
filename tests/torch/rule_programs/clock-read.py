import time

import torch


def step(x):
    begin = time.perf_counter()
    h = x * 2
    return h + 0 * (time.perf_counter() - begin)


calls = [[torch.ones(3)]]

# action 1


def run(compile):
    compiled = compile(lambda x: x * 2)
    results = []
    for arguments in calls:
        time.perf_counter()
        results.append(compiled(*arguments))
        time.perf_counter()
    return results
